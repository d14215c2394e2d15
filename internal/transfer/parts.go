package transfer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxParts bounds the parts of an export that are looked for.
const maxParts = 1000

// missingParts are the names of the parts that an export in numbered parts lacks before its
// last one: each part is downloaded alone, and one is easily forgotten.
func missingParts(files []*File) []string {
	number := regexp.MustCompile(`^(.*-)(\d{3})(\.(?:json|zip).*)$`)
	found := make(map[string]map[int]bool) // by the name without the number
	for _, f := range files {
		m := number.FindStringSubmatch(f.Name)
		if m == nil {
			continue
		}
		series := strings.ReplaceAll(m[1], "%", "%%") + "%03d" + strings.ReplaceAll(m[3], "%", "%%")
		if found[series] == nil {
			found[series] = make(map[int]bool)
		}
		n, _ := strconv.Atoi(m[2]) // three digits
		found[series][n] = true
	}
	var missing []string
	for _, series := range slices.Sorted(maps.Keys(found)) {
		last := slices.Max(slices.Collect(maps.Keys(found[series])))
		for n := range min(last, maxParts) {
			if !found[series][n] {
				missing = append(missing, fmt.Sprintf(series, n))
			}
		}
	}
	return missing
}
