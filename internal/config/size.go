package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// minLimit is the smallest limit on the process's memory, in bytes.
const minLimit = 64 << 20

// units are the units of sizes, as in GOMEMLIMIT, the largest first.
var units = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}} // never written

// size is a setting in bytes.
func size(name, env, usage string, at func(*Config) *int64) setting {
	s := named(name, env, "", usage)
	s.get = func(c *Config) string {
		if *at(c) == 0 {
			return ""
		}
		return sizeText(*at(c))
	}
	s.set = func(c *Config, v string) error {
		n, ok := parseSize(v)
		if !ok {
			return fmt.Errorf("%q is not a size such as 256MiB", v)
		}
		*at(c) = n
		return nil
	}
	return s
}

// parseSize reads a whole number with a unit, or of bytes.
func parseSize(v string) (bytes int64, ok bool) {
	times := int64(1)
	for _, u := range units {
		if number, found := strings.CutSuffix(v, u.name); found {
			v, times = strings.TrimSpace(number), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return n * times, err == nil && n >= 0 && n <= math.MaxInt64/times
}

// sizeText writes a size in the largest unit of which it is a whole number.
func sizeText(n int64) string {
	for _, u := range units {
		if n%u.bytes == 0 && n >= u.bytes {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return "0"
}
