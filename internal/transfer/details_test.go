package transfer

import (
	"fmt"
	"strings"
	"testing"
)

// TestDetails: of the elements in an answer of Open WebUI, only thoughts are left out.
func TestDetails(t *testing.T) {
	t.Parallel()
	const thought = "<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> hm\n</details>\n"
	for _, tt := range []struct{ name, answer, want, not string }{
		{
			"a call", "Before.\n<details type=\"tool_calls\" done=\"true\" id=\"k1\" name=\"clock\" arguments=\"{&quot;tz&quot;: &quot;CET&quot;}\" result=\"&quot;12:00&quot;\">\n" +
				"<summary>Tool Executed</summary>\n</details>\nIt is noon.",
			`assistant: "Before."|assistant: "" calls k1 clock({"tz": "CET"})|tool(clock): "12:00" answers k1|assistant: "It is noon."`, "summary",
		},
		{"arguments in a text", `<details type="tool_calls" id="k1" name="clock" arguments="&quot;{}&quot;" result="&quot;12:00&quot;">` + "</details>", `calls k1 clock({})`, "details"},
		{"a call without a result", `<details type="tool_calls" name="clock" arguments="">` + "</details>", `assistant: "[clock: {}]"`, "details"},
		{
			"code", "<details type=\"code_interpreter\" done=\"true\" output=\"&quot;42&quot;\">\n<summary>Analyzed</summary>\n```python\nprint(42)\n```\n</details>\nEnd.",
			`code_interpreter({"code":"print(42)"})|tool(code_interpreter): "42"|"End."`, "Analyzed",
		},
		{"text", "<details>\n<summary>My list</summary>\nA swift.\n</details>\nEnd.", `assistant: "<details>\n<summary>My list</summary>\nA swift.\n</details>\nEnd."`, "thinking"},
		{"a thought", thought + "A swift.", `assistant: "A swift."|1 × thinking`, "hm"},
		{"a thought about elements", strings.Replace(thought, "hm", "Use <details> here.", 1) + "A swift.\n" + thought, `assistant: "A swift."|2 × thinking`, "here"},
		{"an element in a thought", strings.Replace(thought, "hm", "<details>hm</details>", 1) + "A swift.", `assistant: "A swift."|1 × thinking`, "hm"},
		{"an element that does not end", `Write <details type="reasoning"> to hide text.`, `Write <details type=\"reasoning\"> to hide text.`, "thinking"},
		{"one in a line", `Write <details type="reasoning">x</details> so.`, `>x</details> so.`, "thinking"},
		{
			"one in code", "So:\n```html\n<details type=\"reasoning\" done=\"true\">\nhm\n</details>\n```\nEnd.\n" + thought + "Bye.",
			`</details>\n` + "```" + `\nEnd.\n\n\nBye."|1 × thinking`, "> hm",
		},
		{"a fence that does not end", "```\nx\n" + thought + "A swift.", `assistant: "` + "```" + `\nx\n\n\nA swift."|1 × thinking`, "hm"},
		{"a new type", "<details type=\"poll\">\nA swift.\n</details>", `A swift.`, "thinking"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := &Input{Files: []*File{memoryFile("c.json", []byte(webuiOf(fmt.Sprintf(`"content":%q`, tt.answer))))}}
			got, err := readAll(t, in, Options{From: "auto"})
			for _, want := range strings.Split(tt.want, "|") {
				if err != nil || !strings.Contains(got, want) {
					t.Errorf("got %s, %v, want %s", got, err, want)
				}
			}
			if strings.Contains(got, tt.not) {
				t.Errorf("got %s, want no %s", got, tt.not)
			}
		})
	}
}

// FuzzDetails: the parts of an answer without elements that have a type are the answer.
func FuzzDetails(f *testing.F) {
	f.Add("a<details>b</details>")
	f.Add("<details type=\"reasoning\">a</details>\n<details type=\"tool_calls\" name=\"b\"></details>c")
	f.Add("<details type=\"reasoning\"><details")
	f.Fuzz(func(t *testing.T, text string) {
		parts := detailsOf(text)
		size := 0
		for _, p := range parts {
			size += len(p.text)
		}
		if size > len(text) || len(parts) == 1 && parts[0].text != text {
			t.Errorf("got %+v", parts)
		}
	})
}
