package recall

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
)

// TestShapesIn finds what could answer for a shape, and not what only looks so.
func TestShapesIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		has  shape
		not  shape
	}{
		{"The parking permit costs 75 a year", shapeMoney | shapeNumber, shapeDay},
		{"The licence is paid until May 2027, three nodes in Warsaw", shapeMonth, shapeMoney},
		{"It was 1.290 EUR", shapeMoney, 0},
		{"The babysitter takes 14 an hour", shapeMoney, 0},
		{"The lesson is every Wednesday at half past four", shapeDay | shapeFrequency, shapeMoney},
		{"We closed on the flat, keys on the 28th", shapeDay, shapeNumber},
		{"We meet at 14:30", shapeClock, shapeMoney},
		{"Tried in Q1, reverted in Q2", shapeQuarter, shapeMoney},
		{"The effect was 15 %", shapeShare, shapeMoney},
		{"Bake it for 45 minutes at 180 degrees", shapeLength | shapeDegrees, shapeMoney},
		{"Only two helpers were in use", shapeNumber, shapeVersion},
		{"We run Node 22.1", shapeVersion, shapeAge},
		{"I'm 34", shapeAge, shapeMoney},
		{"Retry uploads 3 times", shapeFrequency, shapeMeasure},
		{"The rent is due by the third of each month", shapeDay, 0},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			got := shapesIn(c.text)
			if got&c.has != c.has || got&c.not != 0 {
				t.Errorf("got %b, want all of %b and none of %b", got, c.has, c.not)
			}
		})
	}
}

// TestWants reads what shape a question asks for.
func TestWants(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]shape{
		"What does the flight cost?":             shapeMoney,
		"How much is the ticket?":                shapeMoney,
		"How much rice do I need?":               shapeNumber,
		"How often is it rotated?":               shapeFrequency,
		"How long does it take?":                 shapeLength,
		"In which quarter did we stop?":          shapeQuarter,
		"On which weekday do we meet?":           shapeDay,
		"Which version do we run?":               shapeVersion,
		"What decisions did we make?":            0,
		"What does the scholarship pay for?":     0,
		"Which architecture decisions were made": 0,
	} {
		if got := read(question, time.Time{}).wants; got != want {
			t.Errorf("%q: got %b, want %b", question, got, want)
		}
	}
}

// TestLexiconWords holds one word between commas, where sentences are compared word by
// word: of "in-laws" only "in" would be.
func TestLexiconWords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("lexicon/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lexicon: %v", err)
	}
	whole := []string{"lexicon/slot.txt", "lexicon/attribute.txt", "lexicon/part.txt", "lexicon/wide.txt"}
	for _, file := range files {
		if slices.Contains(whole, filepath.ToSlash(file)) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			_, rest, named := strings.Cut(line, ": ")
			if !named {
				rest = line
			}
			for _, word := range strings.Split(strings.TrimSpace(rest), ", ") {
				words := 0
				for scan := language.Scan(word); ; words++ {
					if _, ok := scan.Next(); !ok {
						break
					}
				}
				if words > 1 {
					t.Errorf("%s: %q is %d words", file, word, words)
				}
			}
		}
	}
}
