package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// plot is a picture of how something grows with the length of a session, from
// one message to a hundred thousand.
type plot struct {
	title string
	log   bool // the values, too, are drawn by their logarithm
	lines []line
}

// line is one series of a plot.
type line struct {
	name   string
	faint  bool // it is there for comparison only
	show   func(value float64) string
	points []point
}

// point is a value at a length.
type point struct {
	messages int
	value    float64
}

// The picture, in pixels: the frame around the lines leaves room for the names
// at the left, the lengths below and the title above.
const (
	plotWidth, plotHeight = 640, 300
	frameLeft, frameRight = 64, 604
	frameTop, frameBottom = 44, 252
	longest               = 5 // powers of ten of messages
)

// plotStyle has colours for light and for dark pages.
const plotStyle = `<style>
text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-size: 14px; font-weight: 600; fill: #1f2328 }
.grid { stroke: #d0d7de; stroke-width: 1 }
.line { fill: none; stroke: #0969da; stroke-width: 2 }
.dot { fill: #0969da }
.name { fill: #0969da }
.faint.line { stroke: #8c959f; stroke-dasharray: 5 4 }
.faint.dot { fill: #8c959f }
.faint.name { fill: #57606a }
@media (prefers-color-scheme: dark) {
text, .faint.name { fill: #9198a1 }
.title { fill: #f0f6fc }
.grid { stroke: #3d444d }
.line { stroke: #4493f8 }
.dot, .name { fill: #4493f8 }
}
</style>
`

// draw returns the picture as SVG. Without points there is a frame only.
func (p *plot) draw() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", plotWidth, plotHeight, plotWidth, plotHeight)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", escaped(p.title), plotStyle)
	write(&b, "title", "start", frameLeft, 24, p.title)
	low, high := p.span()
	for _, v := range p.ticks(low, high) {
		y := p.y(v, low, high)
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fH%d"/>`+"\n", frameLeft, y, frameRight)
		write(&b, "", "end", frameLeft-8, y+4, short(v))
	}
	for power := range longest + 1 {
		n := int(math.Pow10(power))
		write(&b, "", "middle", x(n), frameBottom+20, thousands(n))
	}
	write(&b, "", "end", frameRight, frameBottom+40, "messages in the session")
	for i := range p.lines {
		p.lines[i].draw(&b, func(v float64) float64 { return p.y(v, low, high) })
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// draw adds the line, its points, and its name above its last one.
func (l *line) draw(b *strings.Builder, y func(float64) float64) {
	if len(l.points) == 0 {
		return
	}
	class := ""
	if l.faint {
		class = "faint "
	}
	var path strings.Builder
	for i, p := range l.points {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], x(p.messages), y(p.value))
	}
	fmt.Fprintf(b, `<path class="%sline" d="%s"/>`+"\n", class, path.String())
	for _, p := range l.points {
		fmt.Fprintf(b, `<circle class="%sdot" cx="%.1f" cy="%.1f" r="3"><title>%s: %s</title></circle>`+"\n",
			class, x(p.messages), y(p.value), thousands(p.messages), l.show(p.value))
	}
	first, last := l.points[0], l.points[len(l.points)-1]
	if !l.faint {
		write(b, class+"name", "start", x(first.messages)+6, y(first.value)-8, l.show(first.value))
	}
	write(b, class+"name", "end", x(last.messages), y(last.value)-8, l.name+": "+l.show(last.value))
}

// span is the least and the greatest value that the picture has room for.
func (p *plot) span() (low, high float64) {
	for _, l := range p.lines {
		for _, pt := range l.points {
			high = max(high, pt.value)
			if low == 0 || pt.value < low {
				low = pt.value
			}
		}
	}
	switch {
	case high <= 0:
		return 0, 1
	case p.log:
		low, high = max(low, 1), max(high, 1)
		return math.Pow10(int(math.Floor(math.Log10(low)))), math.Pow10(int(math.Ceil(math.Log10(high * 1.1))))
	}
	return 0, step(high*1.25) * math.Ceil(high*1.25/step(high*1.25))
}

// ticks are the values that have a line of their own across the picture.
func (p *plot) ticks(low, high float64) (out []float64) {
	if p.log {
		for v := low; v <= high*1.01; v *= 10 {
			out = append(out, v)
		}
		return out
	}
	for v := low; v <= high*1.01; v += step(high) {
		out = append(out, v)
	}
	return out
}

// step is the round number that goes into a value two to six times.
func step(value float64) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(value))))
	for _, share := range []float64{0.2, 0.5, 1} {
		if value/(power*share) <= 6 {
			return power * share
		}
	}
	return power * 2
}

// y is where a value lies.
func (p *plot) y(value, low, high float64) float64 {
	share := (value - low) / (high - low)
	if p.log {
		share = math.Log10(max(value, low)/low) / math.Log10(high/low)
	}
	return frameBottom - share*(frameBottom-frameTop)
}

// x is where a length lies.
func x(messages int) float64 {
	return frameLeft + math.Log10(float64(max(messages, 1)))/longest*(frameRight-frameLeft)
}

// write adds a text; anchor says which end of it stands at x.
func write(b *strings.Builder, class, anchor string, x, y float64, text string) {
	fmt.Fprintf(b, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, anchor, x, y, escaped(text))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

// thousands is a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short is a value at its line across the picture.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%g M", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%g k", v/1e3)
	case v >= 1e3:
		return thousands(int(v))
	}
	return fmt.Sprintf("%.3g", v)
}
