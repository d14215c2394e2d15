// Package language cuts text into what memory works with: sentences, words,
// stems, and the dates they speak of. It knows which English words may stand for one
// another. It joins again what is quoted, and reads the lists of words that lexicons are
// made of. It knows no product term and keeps no state; the same text gives the same
// pieces everywhere.
package language
