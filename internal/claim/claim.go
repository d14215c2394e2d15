// Package claim is how work is taken that several may take: a limited number of
// places, in all and for each owner; a line in which owners wait for them side by
// side; a lease that is kept while the work goes on; and a sleep that ends at a
// moment, or as soon as somebody calls.
//
// What is claimed, and the fence that decides who has it, belong to whoever
// keeps the rows.
package claim

// MaxCuts is how often a process may die over a claim before what was claimed is
// given up as what kills them. A ledger may let it wait before that, so that a
// server which it brings down serves others in between.
const MaxCuts = 20
