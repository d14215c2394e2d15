package transfer

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// picture stands for a picture of which nothing is known.
const picture = "[image]"

// imageMark and fileMark stand for a picture and for another file of which the export has the name.
func imageMark(called string) string { return "[image: " + called + "]" }
func fileMark(called string) string  { return "[file: " + called + "]" }

// pictured stands for a file of which the export has only the name.
func pictured(file string) string {
	if slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic"}, strings.ToLower(path.Ext(file))) {
		return imageMark(name(file))
	}
	return fileMark(name(file))
}

// texts are the texts of a value that is a text, an object with one, or a list of these. A picture
// among them is named as one.
func texts(raw json.RawMessage) string { return contentOf(raw, true, func(string) {}) }

// texts are the texts of a message's content. What is no text is told, and thinking is counted.
func (in *reading) texts(raw json.RawMessage, where string) string {
	text, _ := in.spoken(raw, where)
	return text
}

// spoken are the texts of an answer's content. earlier is what earlier versions of this program read, if they took
// thinking for text; "" otherwise.
func (in *reading) spoken(raw json.RawMessage, where string) (text, earlier string) {
	thinks := false
	text = contentOf(raw, false, func(kind string) {
		if kind != thinking {
			in.report.unknown(kind, where)
			return
		}
		thinks = true
		in.report.omit(thinking, where)
	})
	if thinks {
		earlier = texts(raw)
	}
	if earlier == text {
		earlier = ""
	}
	return text, earlier
}

// contentOf calls strange with the kind of each part that has no text, and of each that is thinking. thoughts says that
// thinking counts as text.
func contentOf(raw json.RawMessage, thoughts bool, strange func(kind string)) string {
	if jsontext.Value(raw).Kind() != '[' {
		return partText(raw, thoughts, strange)
	}
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list) // it is a list
	var out []string
	for _, e := range list {
		if text := partText(e, thoughts, strange); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// partText is the text of one part.
func partText(raw json.RawMessage, thoughts bool, strange func(kind string)) string {
	switch kind := jsontext.Value(raw).Kind(); kind {
	case '"':
		return textIn(raw)
	case '{':
		return objectText(raw, thoughts, strange)
	case 'n', jsontext.KindInvalid:
	default:
		strange(article(kindName(kind)) + " as content")
	}
	return ""
}

// objectText is the text of a part that is an object.
func objectText(raw json.RawMessage, thoughts bool, strange func(kind string)) string {
	var part struct {
		Type    string          `json:"type"`
		Text    json.RawMessage `json:"text"`
		Refusal string          `json:"refusal"`
		Value   string          `json:"value"`
	}
	var nested struct {
		Value string `json:"value"`
	}
	if decode(raw, &part, func(odd) {}) != nil {
		return ""
	}
	if !thoughts && thoughtPart(part.Type) {
		strange(thinking)
		return ""
	}
	_ = json.Unmarshal(part.Text, &nested) // a text has no other within
	text := cmp.Or(textIn(part.Text), nested.Value, part.Refusal, part.Value)
	switch {
	case text != "" || strings.HasSuffix(part.Type, "text"):
		return text
	case strings.Contains(part.Type, "image"):
		return picture
	case part.Type != "":
		strange("part " + part.Type)
	default:
		strange("an object without a text as content")
	}
	return ""
}

// textIn is a JSON text; "" for another value.
func textIn(raw json.RawMessage) (text string) {
	if readSimple(raw, &text) != nil {
		return ""
	}
	return text
}

// listed are the elements of a list; a value that is none stands for its only element.
type listed []json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (l *listed) UnmarshalJSON(raw []byte) error {
	if jsontext.Value(raw).Kind() == '[' {
		return json.Unmarshal(raw, (*[]json.RawMessage)(l))
	}
	*l = listed{append(json.RawMessage(nil), raw...)}
	return nil
}

// calls reads the calls of a message in the form of OpenAI.
func (in *reading) calls(raw json.RawMessage, where string) []Call {
	var calls []struct {
		functionCall

		ID       string       `json:"id"`
		CallID   string       `json:"call_id"`
		Function functionCall `json:"function"`
	}
	tell := func(o odd) {
		in.report.unknown(strings.TrimSuffix(article(o.value)+" as tool_calls."+o.member, "."), where)
	}
	if nonNull(raw) != "" && decode(raw, &calls, tell) != nil {
		in.report.unknown("tool_calls that are no JSON", where)
	}
	var out []Call
	for _, c := range calls {
		out = append(out, functionCall{
			Name: cmp.Or(c.Function.Name, c.Name), Arguments: json.RawMessage(cmp.Or(string(c.Function.Arguments), string(c.Arguments))),
		}.call(cmp.Or(c.ID, c.CallID)))
	}
	return out
}

// call is the call with an id.
func (f functionCall) call(id string) Call {
	if text := textIn(f.Arguments); text != "" {
		return Call{ID: id, Name: f.Name, Arguments: text}
	}
	return rawCall(id, f.Name, f.Arguments)
}
