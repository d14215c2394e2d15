package transfer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// settingsOf is a conversation of ChatGPT that begins with the person's own instructions: with words
// of the program around them, and with what the metadata has of them.
func settingsOf(t *testing.T, id, profile, instructions, metadata string) string {
	t.Helper()
	content, err := json.Marshal(map[string]string{
		"content_type": "user_editable_context", "user_profile": profile, "user_instructions": instructions,
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"id":%q,"title":"x","create_time":1730000000,"current_node":"b","mapping":{`+
		`"a":{"message":{"id":"a","author":{"role":"user"},"weight":1,"content":%s,"metadata":{"is_visually_hidden_from_conversation":true%s}},"parent":null},`+
		`"b":{"message":{"id":"b","author":{"role":"user"},"create_time":1730000001,"content":{"content_type":"text","parts":["A pear."]}},"parent":"a"}}}`,
		id, content, metadata)
}

// TestSettings: custom instructions are taken as the person wrote them, once, whatever the program put around
// them in its different versions.
func TestSettings(t *testing.T) {
	t.Parallel()
	const (
		about = "The user provided the following information about themselves. Only acknowledge the profile when it is related.\nUser profile:\n" +
			"```Preferred name: Ada\nRole: gardener\n```"
		style = "The user provided the additional info about how they would like you to respond:\n```Be brief. Write code as ```go\nx()\n``` only.```"
		later = "The user provided the additional info about how they would like you to respond:\n" +
			"```Follow the instructions below naturally!\n\nBe brief. Write code as ```go\nx()\n``` only.```"
		written = `,"user_context_message_data":{"about_user_message":"Preferred name: Ada\nRole: gardener\n",` +
			`"about_model_message":"Be brief. Write code as ` + "```go\\nx()\\n```" + ` only."}`
	)
	want := fmt.Sprintf("chatgpt:custom-instructions key=\"\" title=\"Custom instructions\" model=\"\"\n"+
		"  2024-10-27T03:33:20.000 user: %q\n  2024-10-27T03:33:20.000 user: %q\nFrom", "Be brief. Write code as ```go\nx()\n``` only.", "Preferred name: Ada\nRole: gardener")
	for name, list := range map[string][]string{
		"as they were written": {settingsOf(t, "c", about, style, written)},
		"of two versions":      {settingsOf(t, "c", about, style, written), settingsOf(t, "d", about, later, written)},
		"without metadata":     {settingsOf(t, "c", about, style, "")},
		"without a wrapper":    {settingsOf(t, "c", "Preferred name: Ada\nRole: gardener", "Be brief. Write code as ```go\nx()\n``` only.", "")},
	} {
		in := &Input{Files: []*File{memoryFile("conversations.json", []byte("["+strings.Join(list, ",")+"]"))}}
		got, err := readAll(t, in, Options{From: "auto"})
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
}

// TestMarks: a mark that stands for words leaves them, and one that only points to a source goes.
func TestMarks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Visit \ue200entity\ue202[\"city\",\"Paris\",\"capital of France\"]\ue201 soon.": "Visit Paris soon.",
		"\ue200entity\ue202[\"people\", \"J. \\\"Jo\\\" Reed\"]\ue201 sings.":            "J. \"Jo\" Reed sings.",
		"See \ue200url\ue202the guide\ue202https://example.com/a\ue201.":                 "See [the guide](https://example.com/a).",
		"See \ue200url\ue202the guide\ue202turn0search0\ue201.":                          "See the guide.",
		"Tea \ue200cite\ue202turn0search1\ue202turn0news3\ue201.":                        "Tea.",
		"Tea\ue200filecite\ue202turn0file0\ue201, 【3:0†source】 and milk.":                "Tea, and milk.",
		"Trees \ue200image_group\ue202{\"query\":[\"oak\"]}\ue201 grow.":                 "Trees grow.",
		"A \ue200entity\ue202[\"city\ue201 B \ue200entity\ue202{}\ue201.":                "A B.",
		"【1】 stays, and so does an open \ue200entity":                                    "【1】 stays, and so does an open entity",
	} {
		if got := uncited(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestNoConversations: what is no conversation at all is told with its file, and without a place in it.
func TestNoConversations(t *testing.T) {
	t.Parallel()
	in := &Input{Files: []*File{memoryFile("c.json", []byte("["+settingsOf(t, "c", "", "", "")+`,7,"x"]`))}}
	got, err := readAll(t, in, Options{From: "auto"})
	for _, want := range []string{"1 × a number as a conversation, first in c.json\n", "1 × a string as a conversation, first in c.json\n"} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("got %s, %v, want %q", got, err, want)
		}
	}
}
