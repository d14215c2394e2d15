package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fitted"
)

// TestLearnLogistic fits a two-by-two table, whose weights are known: the base is the
// log odds without the feature, and the weight is the logarithm of the odds ratio.
func TestLearnLogistic(t *testing.T) {
	t.Parallel()
	examples := []example{
		{scope: "a", values: []float32{0, 7}, yes: true, weight: 10}, {scope: "a", values: []float32{0, 7}, weight: 30},
		{scope: "b", values: []float32{1, 7}, yes: true, weight: 40}, {scope: "b", values: []float32{1, 7}, weight: 5},
	}
	m, err := learnLogistic(examples, 2, even(1e-9))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"base", m.base, math.Log(10. / 30)}, {"odds ratio", m.weights[0], math.Log(40. / 5 * 30 / 10)}, {"a constant", m.weights[1], 0},
		{"probability", m.probability([]float32{1, 7}), 40. / 45},
	} {
		if math.Abs(c.got-c.want) > 1e-5 {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	strict, err := learnLogistic(examples, 2, even(100))
	if err != nil || strict.weights[0] <= 0 || strict.weights[0] > m.weights[0]/2 {
		t.Errorf("got %v, %v, want a smaller weight than %v under a strong ridge", strict, err, m.weights[0])
	}
	if _, err = learnLogistic(nil, 2, even(1)); err == nil {
		t.Error("no examples were learnt from")
	}
}

// TestLearnLogisticUnits: a feature in other units is the same model.
func TestLearnLogisticUnits(t *testing.T) {
	t.Parallel()
	var small, large []example
	for i := range 40 {
		v := float32(i%8) / 8
		yes := i%8+i%3 > 4
		small = append(small, example{values: []float32{v}, yes: yes})
		large = append(large, example{values: []float32{v * 1024}, yes: yes})
	}
	a, err := learnLogistic(small, 1, even(3))
	if err != nil {
		t.Fatal(err)
	}
	b, err := learnLogistic(large, 1, even(3))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.weights[0]-1024*b.weights[0]) > 1e-6 || math.Abs(a.base-b.base) > 1e-6 {
		t.Errorf("got %v and %v", a, b)
	}
}

// TestLeaveOneScopeOut: a scope that contradicts all others is judged by the others.
func TestLeaveOneScopeOut(t *testing.T) {
	t.Parallel()
	var examples []example
	for _, scope := range []string{"a", "b", "odd"} {
		for i := range 10 {
			examples = append(examples, example{scope: scope, values: []float32{float32(i % 2)}, yes: (i%2 == 1) == (scope != "odd")})
		}
	}
	got, err := leaveScopesOut(examples, func(e []example) (weights, error) { return learnLogistic(e, 1, even(0.1)) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range examples {
		if e := &examples[i]; e.scope == "odd" && (got[i] > 0.5) == e.yes {
			t.Errorf("example %d: got %.2f, but only its own scope says so", i, got[i])
		}
	}
	if n := len(withoutScope(examples, "a")); n != 20 || len(examples) != 30 {
		t.Errorf("got %d of %d", n, len(examples))
	}
}

func TestCurves(t *testing.T) {
	t.Parallel()
	all := []guess{{0.9, true, 1}, {0.8, false, 1}, {0.7, true, 2}, {0.2, false, 1}, {0.1, false, 1}, {0.1, true, 1}}
	if got := aboveThreshold(all, 0.7); got != (above{precision: 0.75, recall: 0.75, falseRate: 1. / 3}) {
		t.Errorf("got %+v", got)
	}
	if got := areaUnder(all); math.Abs(got-5.5/9) > 1e-9 {
		t.Errorf("got %v, want %v", got, 5.5/9)
	}
	bins := calibration(all, 2)
	if len(bins) != 2 || bins[0].n != 3 || math.Abs(bins[0].came-1./3) > 1e-9 || math.Abs(bins[1].said-3.1/4) > 1e-9 {
		t.Errorf("got %+v", bins)
	}
}

// TestFit fits a model of the development set's messages, writes it, and reads it back.
func TestFit(t *testing.T) {
	t.Parallel()
	lives, err := loadLives("")
	if err != nil {
		t.Fatal(err)
	}
	f := fitting{name: "asks", features: []string{"asks", "length"}, ridge: even(1), examples: func(lives []life) ([]example, error) {
		var out []example
		for i := range lives {
			for _, m := range lives[i].Messages {
				if m.Role == "user" {
					asks := float32(strings.Count(m.Text, "?"))
					out = append(out, example{scope: lives[i].ID, values: []float32{asks, float32(len(m.Text)) / 100}, yes: m.Statement})
				}
			}
		}
		return out, nil
	}}
	path := filepath.Join(t.TempDir(), "asks.txt")
	var printed bytes.Buffer
	if err = f.fit(&printed, lives, "", path); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(printed.String(), "AUC 0.") {
		t.Errorf("got %s", printed.String())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitted.Parse(string(text), f.features)
	if err != nil {
		t.Fatal(err)
	}
	if m.Score([]float32{2, 1}) >= m.Score([]float32{0, 1}) {
		t.Errorf("a message that asks twice passes for a statement:\n%s", text)
	}
	var left bytes.Buffer
	if err = f.fit(&left, lives, "plat", ""); err != nil || !strings.HasPrefix(left.String(), "# go run ./bench/memory fit-asks -leave plat\n") {
		t.Errorf("got %v, %s", err, left.String())
	}
}
