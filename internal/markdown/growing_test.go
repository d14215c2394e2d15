package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// grown feeds a text in pieces of a size, and returns its regions.
func grown(src string, size int) []markdown.Region {
	var g markdown.Growing
	var regions []markdown.Region
	for src != "" {
		n := min(size, len(src))
		regions = append(regions, g.Add(src[:n])...)
		src = src[n:]
	}
	return append(regions, g.Open())
}

// together are the blocks of all regions.
func together(regions []markdown.Region) []markdown.Block {
	var all []markdown.Block
	for i := range regions {
		all = append(all, regions[i].Blocks()...)
	}
	return all
}

func growingTexts() map[string]string {
	return map[string]string{
		"paragraphs":              "One.\n\nTwo\ngoes on.\n\n**Three**\n\n---\n\nFour",
		"headings":                "# A\n\ntext\n\n## B\ntext\n\nC\n===\n\nD\n---\n",
		"a tight list":            "Intro\n\n- a\n- b\n\nAfter",
		"a loose list":            "- a\n\n- b\n\n  more of b\n\n- c\n\nAfter\n\n1. x\n\n2. y\n\n10) z\n\nAfter",
		"an empty item":           "- a\n\n-\n\nAfter\n\n1.\n\nAfter",
		"code":                    "A\n\n```go\nx\n\ny\n\nz\n```\n\nB\n\n~~~~\n```\n\nq\n~~~~\n\nC",
		"code in a list":          "- a\n\n  ```\n  x\n\n  y\n  ```\n\nB\n\n- ```\n  x\n\nq\n\n```\nx\n\ny\n```\n\nC",
		"code with indentation":   "A\n\n  ```\nx\n\ny\n  ```\n\nB\n\n    code\n\n    more\n\nC",
		"code without an end":     "A\n\n```\nx\n\ny\n\nz",
		"a quotation":             "> a\nlazy\n\n> b\n\nC\n\n> ```\n> x\n\nD",
		"a table":                 "A\n\n|a|b|\n|-|-|\n|1|2|\n\nB\n\na|b\n-|-\n1|2\nC",
		"carriage returns":        "A\r\n\r\n- b\r\n\r\nC\r\n\r\n```\r\nx\r\n\r\ny\r\n```\r\n\r\nD",
		"blanks":                  "A\n  \t\nB\n\n\n\n\nC\n \n- d\n\t\nE",
		"nested":                  "1. a\n   - b\n\n     - c\n\n   d\n\nE\n\n> - f\n>\n> g\n\nH",
		"letters":                 "Ä\n\n漢字\n\n*é*\n\n- ñ\n\nü",
		"a fence that is no mark": "A\n\n``` a`b\n\nB\n\n```x\n\ny\n\n```\n\nC",
	}
}

// TestGrowing: the regions have the same blocks as the whole text, however it grew, and a
// complete region never changes.
func TestGrowing(t *testing.T) {
	t.Parallel()
	for name, src := range growingTexts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := markdown.Parse(src)
			for _, size := range []int{1, 2, 3, 7, len(src)} {
				regions := grown(src, size)
				if diff := cmp.Diff(want, together(regions)); diff != "" {
					t.Errorf("in pieces of %d (-whole +grown):\n%s", size, diff)
				}
				for i, r := range regions {
					if r.Number != i {
						t.Errorf("got region %d at %d", r.Number, i)
					}
				}
			}
		})
	}
}

// TestGrowingDivides: what is complete is not parsed again.
func TestGrowingDivides(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]int{
		"One.\n\nTwo.\n\nThree.": 2, "One.\n\nTwo.\n\nThree.\n": 3, "**a**\n\n**b**\n\n": 2, "A\n\n```\nx\n\ny\n```\n\nB\n": 3,
		"- a\n\n- b\n\nC\n": 2, "# A\n\nB\n\n> C\n\n---\n": 4, "A\n\n- b\n- c\n\nD\n": 2, "2026 was\n\n2027 is\n": 2,
	} {
		if got := len(grown(src, 1)); got != want {
			t.Errorf("%q: got %d regions, want %d", src, got, want)
		}
	}
}

func FuzzGrowing(f *testing.F) {
	for _, src := range growingTexts() {
		f.Add(src, byte(3))
	}
	f.Fuzz(func(t *testing.T, src string, size byte) {
		if len(src) > 4000 {
			t.Skip()
		}
		src = strings.ToValidUTF8(src, "?") // as all texts of this server are
		if diff := cmp.Diff(markdown.Parse(src), together(grown(src, int(size%20)+1))); diff != "" {
			t.Errorf("%q (-whole +grown):\n%s", src, diff)
		}
	})
}
