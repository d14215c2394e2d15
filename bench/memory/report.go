package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// column is a set of lives as the report measures it.
type column struct {
	name string
	// probes are nil if the column was not measured.
	probes []*probe
}

// reporter makes the report of memory: one table of all measures, and one by the sorts of
// questions.
type reporter struct {
	quick    bool
	data     string
	locomo   string
	missed   string
	label    int
	asJSON   bool
	progress io.Writer
	began    time.Time
}

// memoryReport prints what memory reaches on text by another hand.
func memoryReport(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	r := &reporter{progress: os.Stderr, began: time.Now()}
	flags.BoolVar(&r.quick, "quick", false, "leave out what takes longer than 20 seconds: fitting with scopes left out, and long conversations")
	flags.StringVar(&r.data, "data", "", "measure the lives of this file alone, without the long rows")
	flags.StringVar(&r.locomo, "locomo", "", "LoCoMo's file; its rows are not measured without")
	flags.StringVar(&r.missed, "missed", "", "list what went wrong instead of the tables: "+strings.Join(missedKinds(), ", "))
	flags.IntVar(&r.label, "label", 0, "print so many lines of the block for labelling by hand instead of the tables")
	flags.BoolVar(&r.asJSON, "json", false, "print JSON")
	return r.report
}

func (r *reporter) report(ctx context.Context, w io.Writer) error {
	lives, err := loadLives(r.data)
	if err != nil {
		return err
	}
	columns, err := r.columns(ctx, lives)
	if err != nil {
		return err
	}
	judged := columns[0].probes
	if len(columns) > 1 && columns[1].probes != nil {
		judged = columns[1].probes // with the models that never saw them
	}
	switch {
	case r.missed != "":
		return printMissed(w, judged, r.missed)
	case r.label > 0:
		return printLines(w, judged, r.label)
	}
	var extras []extra
	if r.data == "" {
		if extras, err = r.extras(ctx, lives); err != nil {
			return err
		}
	}
	r.step("done")
	if r.asJSON {
		return writeReport(w, columns, extras)
	}
	printReport(w, columns, extras)
	return nil
}

// step tells on standard error what is done next.
func (r *reporter) step(format string, args ...any) {
	fmt.Fprintf(r.progress, "%5.1f s  "+format+"\n", append([]any{time.Since(r.began).Seconds()}, args...)...)
}

// columns measures the sets.
func (r *reporter) columns(ctx context.Context, lives []life) ([]column, error) {
	r.step("%d lives", len(lives))
	in, err := probeAll(lives)
	if err != nil {
		return nil, err
	}
	if r.data != "" {
		return []column{{r.data, in}}, nil
	}
	left := column{name: "each scope left out"}
	if !r.quick {
		r.step("fitting %d models again for each life", len(fittings()))
		if left.probes, err = probeLeftOut(ctx, lives, r.step); err != nil {
			return nil, err
		}
	}
	others, err := parseLives(secondContact)
	if err != nil {
		return nil, fmt.Errorf("the second set: %w", err)
	}
	r.step("%d lives of the second set", len(others))
	second, err := probeAll(others)
	if err != nil {
		return nil, err
	}
	return []column{{"development set", in}, left, {secondSet, second}}, nil
}

// secondSet is the column of the set that nothing is fitted to. What goes wrong in it is
// not listed anywhere, so that nothing gets tuned to it.
const secondSet = "second set"

// probeAll plays lives side by side.
func probeAll(lives []life) ([]*probe, error) {
	out := make([]*probe, len(lives))
	var g errgroup.Group
	g.SetLimit(2)
	for i := range lives {
		g.Go(func() error {
			count, err := counter()
			if err != nil {
				return err
			}
			if out[i], err = probeLife(&lives[i], count); err != nil {
				return fmt.Errorf("%s: %w", lives[i].ID, err)
			}
			return nil
		})
	}
	return out, g.Wait()
}

// printReport prints the tables in Markdown.
func printReport(w io.Writer, columns []column, extras []extra) {
	head, rule := "| | measure |", "|---|---|"
	for _, c := range columns {
		head, rule = head+" "+c.name+" |", rule+"---|"
	}
	fmt.Fprintf(w, "%s aim |\n%s---|\n", head, rule)
	for _, m := range measures() {
		fmt.Fprintf(w, "| %s | %s |", m.id, m.name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c.cell(m.of))
		}
		fmt.Fprintf(w, " %s |\n", m.aim)
	}
	for _, e := range extras {
		fmt.Fprintf(w, "| %s | %s | %s | %s |%s %s |\n", e.id, e.name, e.value, e.left, strings.Repeat(" |", len(columns)-2), e.aim)
	}
	head, rule = "\n| told, by sort of question |", "|---|"
	for _, c := range columns {
		head, rule = head+" "+c.name+": right · shown · stale or wrong |", rule+"---|"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for _, g := range groups() {
		belongs := func(v *verdict) bool { return v.Told && g.belongs(v) }
		fmt.Fprintf(w, "| %s |", g.name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c.group(belongs))
		}
		fmt.Fprintln(w)
	}
}

// unmeasured stands for a figure that was not taken.
const unmeasured = "not measured"

func (c *column) cell(of func([]*probe) figure) string {
	if c.probes == nil {
		return unmeasured
	}
	f := of(c.probes)
	return f.cell()
}

func (c *column) group(belongs func(*verdict) bool) string {
	if c.probes == nil {
		return unmeasured
	}
	f := share(belongs, isRight)(c.probes)
	if f.of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f · %.0f · %.0f of %d", f.sum, share(belongs, isShown)(c.probes).sum, share(belongs, isBad)(c.probes).sum, f.of)
}

// reportRow is a row of the report in JSON. Cells are by column.
type reportRow struct {
	ID    string              `json:"id,omitempty"`
	Name  string              `json:"name"`
	Aim   string              `json:"aim,omitempty"`
	Value string              `json:"value,omitempty"`
	Left  string              `json:"left_out,omitempty"`
	Cells map[string]jsonCell `json:"cells,omitempty"`
}

type jsonCell struct {
	Sum float64 `json:"sum"`
	Of  int     `json:"of"`
}

// writeReport prints the rows as JSON, with everything that was seen of each life of the
// development set.
func writeReport(w io.Writer, columns []column, extras []extra) error {
	var rows []reportRow
	for _, m := range measures() {
		row := reportRow{ID: m.id, Name: m.name, Aim: m.aim, Cells: make(map[string]jsonCell)}
		for _, c := range columns {
			if c.probes != nil {
				f := m.of(c.probes)
				row.Cells[c.name] = jsonCell{f.sum, f.of}
			}
		}
		rows = append(rows, row)
	}
	for _, e := range extras {
		rows = append(rows, reportRow{ID: e.id, Name: e.name, Aim: e.aim, Value: e.value, Left: e.left})
	}
	seen := make(map[string][]*probe)
	for _, c := range columns {
		if c.probes != nil && c.name != secondSet {
			seen[c.name] = c.probes
		}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	out.SetEscapeHTML(false)
	return out.Encode(map[string]any{"rows": rows, "lives": seen})
}
