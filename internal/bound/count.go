// Package bound holds the bounds of numbers and times that come from outside: from
// clients, imports, upstreams, and rows that an older version has stored. Requests with
// values out of bounds are refused. Stored values that are older than the bounds are
// moved into them when they are read, so that they can be written again.
package bound

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
)

// MaxCount is the largest count: the largest whole number that every reader of
// JSON gets right. A sum of a thousand such counts still fits an int64.
const MaxCount = 1<<53 - 1

// MaxTokens is the largest number of tokens that is accepted from one report of an
// upstream: a hundred times the widest context there is.
const MaxTokens = 1 << 30

// Count limits a count to the bounds.
func Count(n int64) int64 { return min(max(n, 0), MaxCount) }

// Sum adds up counts. It never leaves the bounds.
func Sum(counts ...int64) int64 {
	total := int64(0)
	for _, n := range counts {
		total = Count(total + Count(n))
	}
	return total
}

// Tokens reads a number of tokens from JSON. Servers also write whole numbers as 12.0
// and 1e3. ok is false for any other value: one below zero, beyond MaxTokens, broken,
// or of another type.
func Tokens(raw []byte) (n int64, ok bool) {
	text := string(bytes.TrimSpace(raw))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return within(n)
	}
	f, err := parseFloat(text)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > MaxTokens {
		return 0, false
	}
	return within(int64(f))
}

// within returns a number of tokens; ok is false if it is out of bounds.
func within(n int64) (int64, bool) {
	if n < 0 || n > MaxTokens {
		return 0, false
	}
	return n, true
}

// errNumber is the error of a text that is not a JSON number.
var errNumber = errors.New("not a JSON number")

// parseFloat is strconv.ParseFloat without what JSON does not have: infinity,
// hexadecimal numbers, and underscores between digits.
func parseFloat(text string) (float64, error) {
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, errNumber
	}
	return strconv.ParseFloat(text, 64)
}
