package main

import "fmt"

// figure is the sum of one measure over the questions or items it was taken of.
type figure struct {
	sum float64
	of  int
}

func (f figure) mean() float64 { return f.sum / float64(max(1, f.of)) }

func (f figure) plus(o figure) figure { return figure{f.sum + o.sum, f.of + o.of} }

// percent is the mean in percent; "–" if the measure was never taken.
func (f figure) percent() string {
	if f.of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*f.mean())
}

// cell is the mean in percent, and the share that it is of.
func (f figure) cell() string {
	if f.of == 0 {
		return f.percent()
	}
	return fmt.Sprintf("%s (%s)", f.percent(), f.share())
}

// share reads "7/9".
func (f figure) share() string { return fmt.Sprintf("%.0f/%d", f.sum, f.of) }

// tally is how every table is scored: sums of measures by kind of question.
type tally map[string]map[string]figure

// add enters what one question or item brought.
func (t tally) add(kind, measure string, value float64) {
	t.enter(kind, measure, figure{value, 1})
}

// hit enters a measure that is a yes or a no.
func (t tally) hit(kind, measure string, yes bool) {
	value := 0.0
	if yes {
		value = 1
	}
	t.add(kind, measure, value)
}

func (t tally) enter(kind, measure string, f figure) {
	if t[kind] == nil {
		t[kind] = make(map[string]figure)
	}
	was := t[kind][measure]
	t[kind][measure] = figure{was.sum + f.sum, was.of + f.of}
}

// merge enters all of another tally.
func (t tally) merge(other tally) {
	for kind, row := range other {
		for measure, f := range row {
			t.enter(kind, measure, f)
		}
	}
}

// of is a measure over some kinds.
func (t tally) of(measure string, kinds ...string) figure {
	var out figure
	for _, kind := range kinds {
		f := t[kind][measure]
		out.sum, out.of = out.sum+f.sum, out.of+f.of
	}
	return out
}
