// Package claim is how work is taken that several may take: a limited number of
// places, in all and for each owner; a line in which owners wait for them side by
// side; a lease that is kept while the work goes on; and a sleep that ends at a
// moment, or as soon as somebody calls.
//
// What is claimed, and the fence that decides who has it, belong to whoever
// keeps the rows.
package claim
