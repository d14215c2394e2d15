package mention_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/mention"
)

// TestSpellings: the first list names the thing, the second does not.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about     string
		yes, none []string
	}{
		{"Müller", []string{
			"müller", "MÜLLER", "Mu\u0308ller", `M\u00fcller`, `M\u00FCller`, `M\\u00fcller`, `M\\\\u00fcller`, "M&uuml;ller", "M&#252;ller", "M&#xFC;ller",
			"M&amp;uuml;ller", "M%25C3%25BCller", "M%2525C3%2525BCller", "M&uumlller", "M&#38;#252;ller", "M&#252ller", "M&#0000000000000000000000000000000000000252;ller",
			"M%u00FCller", "M%26uuml;ller", `M%5Cu00fcller`, "M&bsol;u00fcller", "M\u0007üller", "M\u001büller", "M\x00üller", "M\u009cüller", "M\x7füller",
			`M\u0007üller`, "M&#7;üller", "M&#xAD;üller", "M%00üller", `M\u0026uuml;ller`, "M%C3%BCller", `M\u0025C3%BCller`, `M%C3\u0025BCller`, "M&#37;C3%BCller", `M\xc3\xbcller`, `M\xfcller`, `M\303\274ller`, `M\u{fc}ller`, `M\U000000fcller`, "Mü\u00adller",
			`Mu\u0308ller`, "mu&#776;ller", "(Müller)", "Müllers", "ｍüｌｌｅｒ", "Mü\u200bller", "see\nmÜLLER",
		}, []string{"Muller", "Mueller", "Möller", "M ü ller", ""}},
		{"İstanbul", []string{"istanbul", "ISTANBUL", "ıstanbul", "İSTANBUL", "I\u0307stanbul", "i\u0307stanbul"}, []string{"Ístanbul", "stanbul"}},
		{"IŞIK", []string{"ışık", "işik", "Işık", "IS\u0327IK"}, []string{"isik"}},
		{"Οδυσσεύς", []string{"ΟΔΥΣΣΕΥΣ", "οδυσσευσ", "οδυσσεύσ", "ΟΔΥΣΣΕΎΣ", "Οδυσσευ\u0301ς", "ὀδυσσεύς"}, []string{"Οδυσσεας"}},
		{"Straße", []string{"STRASSE", "strasse", "STRAẞE", "Straſſe"}, []string{"Strase"}},
		{"Kelvin", []string{"\u212aelvin", "KELVIN"}, []string{"elvin"}},
		{"Ⱥbc", []string{"ⱥBC"}, []string{"Abc"}},
		{"Project Nightjar", []string{
			"project nightjar", "Project\nNightjar", "Project\r\nNightjar", "Project  Nightjar", "Project\u00a0Nightjar", "Project\u2003\tNightjar", `Project\nNightjar`,
			`Project\u00a0Nightjar`, "Project&nbsp;Nightjar", "Project&#10;Nightjar", "Project%20Nightjar", "Project\u3000Nightjar", "Project\u2028Nightjar",
			"Project+Nightjar", "Project%2BNightjar", "Project%2520Nightjar", "Project%252520Nightjar", "Project\u180eNightjar", "Project&#00032Nightjar",
			"Project&amp;nbsp;Nightjar", "Project&nbspNightjar", "Project%E1%A0%8ENightjar", `Project%5Cu0020Nightjar`, "Pro\u200bject+Nightjar",
			"Project-Nightjar", "Project_Nightjar", "project.nightjar", "Project\u2800\u2800Nightjar", "Project\u200bNightjar", "Project, Nightjar", "Project\n> > Nightjar",
			"**Project** **Nightjar**", "_Project_ ~~Nightjar~~", "| Project | Nightjar |", "Project<br>Nightjar", "<b>P</b>roject</td>\n<td class='x'>Nightjar",
			"Project<!-- x -->Nightjar", `Project\u003cbr/\u003eNightjar`, "Project&lt;br&gt;Nightjar", "[Project](https://a.example/x) Nightjar",
			"Project=\nNightjar", "Proj=\r\nect =\r\nNightjar", "\x1b[1mProject\x1b[0m \x1b[38;5;1mNightjar", "\x1b]8;;https://a.example\x1b\\Project\x1b]8;;\x1b\\ Nightjar",
			`\u001b[1mProject\u001b[0mNightjar`, "\u009b1mProject\u009b0mNightjar", "ProjectNightjar", "myProjectNightjars", "PROJECTNightjar", "ÜBERProjectNightjar",
		}, []string{
			"Projectnightjar", "PROJECTNIGHTJAR", "Project of Nightjar", "Project <b>x</b> Nightjar", "Project" + strings.Repeat(" -", 20) + "Nightjar",
			"Project<not a tag Nightjar", "Project 7 Nightjar", "Project\u0301 Nightjar",
		}},
		{"Route 66", []string{"route66", "Route-66", "Route <i>66</i>"}, []string{"routes66", "Route 6 6"}},
		{"Jo Anna", []string{"JoAnna", "jo-anna", "(Jo) Anna"}, []string{"joanna", "Mojo-Anna", "Banjo. Anna", "BanjoAnna"}},
		{"j k", []string{"j-k", "(j) k"}, []string{"Not j. But k", "haj-kob", "j-kob", "haj-k"}},
		{"Vec<String>", []string{"a Vec&lt;String&gt;"}, []string{"Vec", "Vec String"}},
		{"Müller & Söhne", []string{"Müller <b>&amp;</b> Söhne", "Müller&Söhne"}, []string{"Müller Söhne", "Müller & 3 Söhne"}},
		{"Lovelace", []string{"Love=\nlace", "<b>Love</b>lace", "Love\x1b[0mlace"}, []string{"Love lace", "Love-lace"}},
		{"nightjar", []string{`C:\new\nightjar`, `say "nightjar"`, `{\"nightjar\":1}`, "100%nightjar"}, []string{"night jar"}},
		{"Rene", []string{"RENE", "Rene."}, []string{"René", "Rene\u0301"}},
		{"René", []string{"RENE\u0301", "Rene&#769;"}, []string{"Rene"}},
		{"O'Brien", []string{"O’Brien", "O&#39;Brien", "o&rsquo;brien", `O\u2019Brien`}, []string{"OBrien"}},
		{"R&D lab", []string{"R&amp;D lab", `R\u0026D lab`, "R%26D lab", "R%2526D lab"}, []string{"R+D lab"}},
		{"R%26D lab", []string{"R&D lab", "R%2526D lab", "R&amp;D lab"}, nil},
		{"C++ lab", []string{"C%2B%2B lab", "C++%20lab"}, []string{"C lab"}},
		{"M&uuml;ller", []string{"Müller", "M&uuml;ller"}, nil},
		{"Bo", []string{"bo", "BO", "Bo's", "Bo-Anne", "(Bo)", "Bo.", "see Bo", "see\nBo", "李Bo明", "B%6F", "Bo+Anne", "7+Bo"}, []string{
			"about", "Bob", "elbow", "éBo", "e\u0301Bo", "Bo\u0301", "7Bo", "Bo7", "Bóo", "B o",
		}},
		{"Bö", []string{"BÖ", "Bo\u0308", "B&ouml;"}, []string{"Bo", "Böll", "aBö"}},
		{"C#", []string{"in c#", "C%23", "C#9"}, []string{"AC#", "C"}},
		{"42", []string{"42", "42.", "n=42"}, []string{"421", "142", "a42"}},
		{"李明", []string{"我叫李明。", "李明明", "Li Ming(李明)"}, []string{"李", "明李"}},
		{"田中", []string{"田中さん", "山田中"}, []string{"田", "中田"}},
		{"김", []string{"김치", norm.NFD.String("김")}, []string{"기"}},
		{"🦜", []string{"a🦜b", "🦜🦜", `\ud83e\udd9c`}, []string{"🐦"}},
		{"한국말", []string{norm.NFD.String("한국말")}, []string{"한국"}},
		{"ﬁnance", []string{"finance", "FINANCE"}, nil},
		{"🦜🦜🦜", []string{"a 🦜🦜🦜 b", `\ud83e\udd9c\ud83e\udd9c\ud83e\udd9c`}, []string{"🦜🦜"}},
	} {
		thing := mention.Of(c.about)
		for _, text := range append(c.yes, c.about) {
			if !thing.In(text) {
				t.Errorf("%q is not found in %q", c.about, text)
			}
			within := "Before, " + text + ", behind."
			if clean, n := thing.Redact(within); n == 0 || thing.In(clean) || len(clean) != len(within) {
				t.Errorf("%q in %q: redacted to %q", c.about, within, clean)
			}
			for _, form := range []map[string]any{{"a": within}, {within: 1.0}, {"a": []any{map[string]any{"b": within}}}} {
				testJSON(t, thing, form)
				inner, _ := json.Marshal(form)
				testJSON(t, thing, map[string]any{"arguments": string(inner), "kept": "as it was"})
			}
		}
		for _, text := range c.none {
			if thing.In(text) || len(thing.Spans(text)) > 0 {
				t.Errorf("%q is found in %q: %v", c.about, text, thing.Spans(text))
			}
		}
	}
}

func testJSON(t *testing.T, thing *mention.Thing, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	clean, n := thing.RedactJSON(text)
	if n == 0 || !json.Valid(clean) || thing.InJSON(clean) || thing.In(string(clean)) {
		t.Errorf("%q in %s: redacted to %s", thing.About(), text, clean)
	}
}

// TestHidden: a name is found with any character in it that prompts leave out.
func TestHidden(t *testing.T) {
	t.Parallel()
	thing := mention.Of("Vorzapa")
	left := 0
	for c := rune(0); c < 0x20000; c++ {
		text := "Vor" + string(c) + "zapa"
		if cite.Line(text) != "Vorzapa" {
			continue
		}
		left++
		quoted, _ := json.Marshal(text)
		if !thing.In(text) || !thing.InJSON(quoted) || !thing.In(string(quoted)) {
			t.Errorf("%U is left out of prompts, and %q is not found in %s", c, thing.About(), quoted)
		}
		if got, err := thing.CountIn(strings.NewReader(text), mention.Format{}); got.Hits != 1 || err != nil {
			t.Errorf("%U: got %+v in bytes, %v", c, got, err)
		}
	}
	if left < 100 {
		t.Errorf("only %d characters are left out of prompts", left)
	}
}

// TestLayers: decoding ends, however deep a text is encoded.
func TestLayers(t *testing.T) {
	t.Parallel()
	thing := mention.Of("Müller")
	for _, sign := range []string{"25", "amp;"} {
		text := "M%" + strings.Repeat("25", 100_000) + "C3"
		if sign == "amp;" {
			text = "M&" + strings.Repeat(sign, 100_000) + "uuml;ller"
		}
		if thing.In(text) != (len(thing.Spans(text)) > 0) {
			t.Errorf("%.20q: found, but nowhere", text)
		}
	}
}

// TestSpans: places are right even if the folded form has another length.
func TestSpans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, text, want string }{
		{"secret", "İİİİ secret ȺȺ", "secret"},
		{"secret", "KKKK secret", "secret"},
		{"secret", "ȺȺȺȺȺȺ secret", "secret"},
		{"secret", "ﬃ ß secret ß", "secret"},
		{"masse", "ß die Maße ß", "Maße"},
		{"a b", "x a \u00a0\n b y", "a \u00a0\n b"},
		{"Müller", `ß M\u00fcller ß`, `M\u00fcller`},
		{"Müller", "ß M&uuml;ller ß", "M&uuml;ller"},
	} {
		spans := mention.Of(c.about).Spans(c.text)
		if len(spans) != 1 || c.text[spans[0].Start:spans[0].End] != c.want {
			t.Errorf("%q in %q: got %v, want %q", c.about, c.text, spans, c.want)
		}
	}
}

// TestRedactJSONKeeps: redaction leaves other values as they were written, different
// names different, and numbers numbers.
func TestRedactJSONKeeps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, text, want string }{
		{"secret", `{"a" : "İ secret Ⱥ", "b":"\u00fc"}`, `{"a" : "İ xxxxxx Ⱥ", "b":"\u00fc"}`},
		{"secret", `{"Secret":1,"seCret":2,"xxxxxx":3}`, `{"xxxxxx":1,"xxxxxx2":2,"xxxxxx3":3}`},
		{"7781", `{"order":7781,"n":-77810.5e3,"other":12}`, `{"order":0,"n":0,"other":12}`},
		{"7781", `{"arguments":"{\"order\":7781,\"t\":\"a 7781\"}"}`, `{"arguments":"{\"order\":0,\"t\":\"a xxxx\"}"}`},
		{`"a": "b"`, `{"arguments":"{\"a\": \"b\"}"}`, `{"arguments":"{\"a\": \"b\"}"}`},
		{"secret", `not JSON: secret`, `not JSON: xxxxxx`},
		{"xxx", `{"a":"xxx"}`, `{"a":""}`},
		{"secret", `{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{"cat", `{"truncation":"disabled","metadata":{"cat":"a cat","truncations":1}}`, `{"truncation":"disabled","metadata":{"xxx":"a xxx","trunxxxions":1}}`},
		{"user", `[{"role":"user","content":"user Ada"},{"role":"assistant","content":"user"}]`, `[{"role":"user","content":"xxxx Ada"},{"role":"assistant","content":"user"}]`},
	} {
		if got, _ := mention.Of(c.about).RedactJSON([]byte(c.text)); string(got) != c.want {
			t.Errorf("%q in %s:\n got %s\nwant %s", c.about, c.text, got, c.want)
		}
	}
}

// TestParts: a name that begins in one part of a message and ends in another is removed
// from both.
func TestParts(t *testing.T) {
	t.Parallel()
	const parts = `{"role":"user","content":[{"type":"text","text":"I met %s"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"%s today"}]}`
	for _, c := range []struct{ about, first, second, want string }{
		{"Project Nightjar", "Project", "Nightjar", "I met xxxxxxx|xxxxxxxx today"},
		{"Project Nightjar", "Project ", "", "I met Project | today"},
		{"Nightjar", "Night", "jar", "I met xxxxx|xxx today"},
		{"Müller", "M&uu", "ml;ller", "I met x&xx|xx;xxxx today"},
		{"xxx xxx", "xxx", "xxx", "|"},
		{"user user", "user", "user", "I met xxxx|xxxx today"},
	} {
		text := fmt.Sprintf(parts, c.first, c.second)
		thing := mention.Of(c.about)
		want := fmt.Sprintf(parts, "", "")
		before, behind, _ := strings.Cut(c.want, "|")
		want = strings.Replace(strings.Replace(want, "I met ", before, 1), " today", behind, 1)
		for _, ours := range []bool{false, true} {
			clean, _ := thing.RedactJSON([]byte(text))
			if ours {
				clean, _ = thing.RedactRecord([]byte(text))
			}
			if found := text != want; string(clean) != want || thing.InJSON(clean) || thing.InJSON([]byte(text)) != found || thing.InRecord([]byte(text)) != found {
				t.Errorf("%q in %s:\n got %s\nwant %s", c.about, text, clean, want)
			}
		}
	}
}

// TestMembers: a name whose words are values of one object or list is taken out of all of
// them. Words of the protocol and values that stand further apart make no name.
func TestMembers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, text, want string }{
		{"Ada Lovelace", `{"first":"Ada","last":"Lovelace"}`, `{"first":"xxx","last":"xxxxxxxx"}`},
		{"Ada Lovelace", `{"first":"Ada","age":36,"last":"Lovelace"}`, `{"first":"xxx","age":36,"last":"xxxxxxxx"}`},
		{"Ada King Lovelace", `["Ada","King","Lovelace"]`, `["xxx","xxxx","xxxxxxxx"]`},
		{"Ada Lovelace", `{"arguments":"{\"first\":\"Ada\",\"last\":\"Lovelace\"}"}`, `{"arguments":"{\"first\":\"xxx\",\"last\":\"xxxxxxxx\"}"}`},
		{"Ada Lovelace", `{"first":"Ada","by":"me","last":"Lovelace"}`, ""},
		{"Ada Lovelace", `[{"a":"Ada"},{"b":"Lovelace"}]`, ""},
		{"Nightjar", `{"a":"Night","b":"jar"}`, ""},
		{"user Ada", `{"role":"user","content":"Ada"}`, ""},
	} {
		clean, _ := mention.Of(c.about).RedactJSON([]byte(c.text))
		if c.want == "" {
			c.want = c.text
		}
		if string(clean) != c.want {
			t.Errorf("%q in %s:\n got %s\nwant %s", c.about, c.text, clean, c.want)
		}
	}
}

// TestMark: forgetting the text of the mark leaves no mark.
func TestMark(t *testing.T) {
	t.Parallel()
	for _, about := range []string{"erased", "ERASE", "[er", "eras"} {
		thing := mention.Of(about)
		clean, n := thing.Redact("I erased the disk. It is gone.")
		if n == 0 && thing.In("I erased the disk.") || thing.In(clean) || !strings.HasSuffix(clean, "It is gone.") {
			t.Errorf("%q: got %q, %d", about, clean, n)
		}
	}
}

// TestCountIn counts escaped mentions among random bytes.
func TestCountIn(t *testing.T) {
	t.Parallel()
	thing := mention.Of("Müller & Söhne")
	forms := []string{"Müller & Söhne", "MU\u0308LLER &amp; S\u00d6HNE", `M\u00fcller \u0026  S\u00f6hne`, "m%C3%BCller\n&\u00a0söhne"}
	source := rand.New(rand.NewPCG(1, 2)) // the same bytes each time
	var hay bytes.Buffer
	for i := range 8 {
		for range 50_000 * i {
			hay.WriteByte(byte(source.UintN(256)))
		}
		hay.WriteString("\x00" + forms[i%len(forms)] + "\x00")
	}
	hay.WriteString("İİİİKKKK\xff\xfe" + forms[0][:5])
	for name, in := range map[string]io.Reader{
		"at once":       bytes.NewReader(hay.Bytes()),
		"in halves":     iotest.HalfReader(bytes.NewReader(hay.Bytes())),
		"byte by byte":  iotest.OneByteReader(bytes.NewReader(hay.Bytes())),
		"end with data": iotest.DataErrReader(bytes.NewReader(hay.Bytes())),
	} {
		got, err := thing.CountIn(in, thing.FormatOf("CREATE TABLE x"))
		if want := (mention.Count{Bytes: int64(hay.Len()), Hits: 8}); err != nil || got != want {
			t.Errorf("%s: got %+v (%v), want %+v", name, got, err, want)
		}
	}
	if _, err := thing.CountIn(iotest.ErrReader(io.ErrUnexpectedEOF), mention.Format{}); err == nil {
		t.Error("a failing reader: got no error")
	}
}

// TestCountAcrossPieces: a mention counts once wherever the pieces meet in which a stream or a
// large value is searched.
func TestCountAcrossPieces(t *testing.T) {
	t.Parallel()
	const first, piece = 64 << 10, 1 << 20
	thing := mention.Of("Ada Lovelace")
	for _, at := range []int{0, first - 12, first - 5, first, first + piece - 6, first + piece, 2 * piece} {
		value := []byte(strings.Repeat("-", at) + "Ada Lovelace" + strings.Repeat("-", 100))
		in, err := thing.CountIn(bytes.NewReader(value), mention.Format{})
		if got := thing.Count(value, mention.Format{}).Hits; err != nil || in.Hits != 1 || got != 1 {
			t.Errorf("at %d: got %d in the stream (%v) and %d in the value, want one each", at, in.Hits, err, got)
		}
	}
}

// TestOwnWords: words of a file's own format are no traces, and other words with the same
// name in them are.
func TestOwnWords(t *testing.T) {
	t.Parallel()
	const schema = "CREATE TABLE parrots (lineage TEXT, parrot_id TEXT NOT NULL)"
	for _, c := range []struct {
		about, text string
		hits, own   int
	}{
		{"Ada", `{"metadata":{}} and Ada, and Adam`, 2, 1},
		{"parrot", schema + " parrots Parrot parrot", 2, 3},
		{"id", "parrot_id is not the id of a bird, and the idea is not an ID", 1, 2},
		{"text not", schema + " is a text not", 1, 1},
		{"zebra", schema + " zebra", 1, 0},
	} {
		thing := mention.Of(c.about)
		got, err := thing.CountIn(strings.NewReader(c.text), thing.FormatOf(schema))
		if got.Hits != c.hits || got.Own != c.own || err != nil {
			t.Errorf("%q in %q: got %+v, %v, want %d hits and %d own", c.about, c.text, got, err, c.hits, c.own)
		}
	}
}

// TestIsName: a name of two characters can be forgotten, and one character that is a
// word.
func TestIsName(t *testing.T) {
	t.Parallel()
	for about, want := range map[string]bool{
		" a ": false, "a\u200b\u200b": false, "e\u0301": false, "\u00ad\u00ad\u00ad": false, "&#97;": false, "7": false, "の": false, "-": false, "": false,
		"e\u0301e\u0301": true, "Bo": true, "李明": true, "田中": true, "李": true, "김": true, "🦜": true, "👍🏽": true, "❤️": true, "1️⃣": true, "🇩🇪": true,
	} {
		if got := mention.Of(about).IsName(); got != want {
			t.Errorf("%q: got %v", about, got)
		}
	}
	if mention.Of("\u00ad").In("anything") {
		t.Error("what has no characters is found")
	}
}

// TestShortInBytes: a short name is not found by chance in random bytes, and is found
// in texts.
func TestShortInBytes(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(1, 2)) // the same bytes each time
	hay := make([]byte, 1<<20)
	for i := range hay {
		hay[i] = byte(source.UintN(256))
	}
	copy(hay[1000:], "\x00Yesterday I met Bo in the park.\x00")
	copy(hay[2000:], "\x00Yesterday I spoke about Bob.\x00")
	if got, err := mention.Of("Bo").CountIn(bytes.NewReader(hay), mention.Format{}); got.Hits != 1 || err != nil {
		t.Errorf("got %+v, %v, want 1", got, err)
	}
}

// FuzzRedact: after redaction no mention is left, the text has not grown, and JSON is
// still JSON.
func FuzzRedact(f *testing.F) {
	f.Add("Müller", "Herr M\\u00fcller &amp; İ Ⱥ K ß")
	f.Add("İ Ⱥ", "{\"İ Ⱥ\":[1,\"İ Ⱥ\"]}")
	f.Add("erased", "[erased]")
	f.Add("Ö bc", "%25C3%2596+bc &#38;#xD6;&amp;nbsp;bc \\\\u00D6\x07 bc")
	f.Add("a bc", `[{"text":"a"},{"text":"bc"},{"text":"a\\nbc"}]`)
	f.Add("a bc", "<b>a</b>=\n bc aBc {\"x\":\"a\",\"y\":\"bc\"} \x1b[1ma\x1b[0m_bc")
	f.Add("A BC", "[{\"text\":\"A\"},{\"text\":\"BCA\\n\x19BC\"}]")
	f.Add("ab c", `{"x":"aB","y":["c","AB","C"]}`)
	f.Add(`a"b`, `{"x":"{\"y\":\"a\\\"b\"}"}`)
	f.Fuzz(func(t *testing.T, about, text string) {
		thing := mention.Of(about)
		if !thing.IsName() || len(text) > 1<<14 {
			return
		}
		spans := thing.Spans(text)
		if thing.In(text) != (len(spans) > 0) {
			t.Fatalf("%q in %q: found %v at %v", about, text, thing.In(text), spans)
		}
		for i, s := range spans {
			if s.Start >= s.End || s.End > len(text) || i > 0 && s.Start < spans[i-1].End {
				t.Fatalf("%q in %q: %v", about, text, spans)
			}
		}
		if clean, _ := thing.Redact(text); thing.In(clean) || len(clean) != len(text) {
			t.Fatalf("%q in %q: left %q", about, text, clean)
		}
		if clean, _ := thing.RedactJSON([]byte(text)); thing.InJSON(clean) || json.Valid([]byte(text)) && !json.Valid(clean) {
			t.Fatalf("%q in JSON %q: left %q", about, text, clean)
		}
		if utf8.ValidString(about) && thing.In(norm.NFC.String(about)) != thing.In(norm.NFD.String(about)) {
			t.Fatalf("%q: found in one normal form only", about)
		}
	})
}
