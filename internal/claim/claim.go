// Package claim holds what several workers need to share work: permits, limited in all
// and per owner; a queue for permits that is fair between owners; a lease that is
// renewed while the work goes on; and a bell that ends a sleep early.
//
// The caller stores the claimed rows and the fence that decides which claim is valid.
package claim

// MaxCuts is how many process deaths during a claim are tolerated. After that many, the
// claimed work is assumed to kill the process and is given up. A queue may back off
// earlier, so that a restarted server can serve other work first.
const MaxCuts = 20
