package main

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func tokens(v float64) string { return thousands(int(v)) }

func examples() map[string]plot {
	return map[string]plot{
		"empty": {title: "Nothing <measured> & drawn"},
		"one":   {title: "One point", lines: []line{{name: "hermes", show: tokens, points: []point{{1, 7}}}}},
		"log": {title: "Tokens", log: true, lines: []line{
			{name: "hermes", show: tokens, points: []point{{1, 120}, {100, 6237}, {1000, 5960}, {100_000, 5949}}},
			{name: "without memory", faint: true, show: tokens, points: []point{{1, 110}, {100, 25_422}, {100_000, 7_488_631}}},
		}},
		"linear": {title: "Milliseconds", lines: []line{
			{name: "hermes", show: func(v float64) string { return fmt.Sprintf("%.1f ms", v) }, points: []point{{1, 2.1}, {10, 2.4}, {100_000, 3.7}}},
		}},
	}
}

// TestPlot compares the pictures with ones that a person has approved.
func TestPlot(t *testing.T) {
	t.Parallel()
	for name, p := range examples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := p.draw()
			wellFormed(t, got)
			path := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("picture (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlotWithinFrame: whatever is drawn lies within the frame.
func TestPlotWithinFrame(t *testing.T) {
	t.Parallel()
	for _, log := range []bool{false, true} {
		for _, value := range []float64{0.001, 0.3, 1, 9.99, 10, 4999, 1e6, 7_488_631} {
			p := plot{log: log, lines: []line{{show: tokens, points: []point{{1, value}, {100_000, value / 3}}}}}
			low, high := p.span()
			for _, pt := range p.lines[0].points {
				if y := p.y(pt.value, low, high); y < frameTop || y > frameBottom {
					t.Errorf("log %v: %g lies at %.1f of %g to %g", log, pt.value, y, low, high)
				}
			}
			if n := len(p.ticks(low, high)); n < 2 || n > 9 {
				t.Errorf("log %v: got %d lines across for %g", log, n, value)
			}
			wellFormed(t, p.draw())
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("a place is no number")
	}
	for in := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
}
