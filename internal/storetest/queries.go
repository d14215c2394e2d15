package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

func queryTests() []test {
	return []test{{"the matches of queries", testQueries}, {"letters that are one", testFolding}, {"hostile queries", testHostile}}
}

// library has texts under one-letter names.
func library() map[session.ID]string {
	return map[session.ID]string{
		"a": "We did the Docker deployment on Tuesday",
		"b": "kubernetes, not docker",
		"c": "python scripts only",
		"d": "python next to java",
		"e": "the exact phrase stands here",
		"f": "the phrase is not exact",
		"g": "She deploys and deployed; redeploy is another word",
		"h": "分散システムの設計について話した",
		"i": "今天部署docker服务",
		"j": "분산 시스템을 설계했다",
		"k": "การประมวลผลแบบกระจาย",
		"l": "mail user@example.com about a-b and C++, see col:x",
		"m": "Café naïve Straße ΟΔΥΣΣΕΥΣ Привет हिन्दी",
		"n": "decomposed cafe\u0301 latte",
		"o": "版本3.5发布 v1.2.3",
		"p": "部",
		"q": "snake_case and user_id = 42",
		"s": "docker is deplorable",
		"r": strings.Repeat("long ", 5000) + "needle" + strings.Repeat(" tail", 5000),
	}
}

// testQueries defines the meaning of the query language.
func testQueries(t *testing.T, st Store) {
	for id, text := range library() {
		newTalk(alice(), id, "").say(t, st, text)
	}
	for _, c := range []struct{ name, query, want string }{
		{"both words", "docker deployment", "a"},
		{"any case", "DOCKER", "abis"},
		{"a phrase", `"exact phrase"`, "e"},
		{"its words", "exact phrase", "ef"},
		{"alternatives", "deployment OR kubernetes", "ab"},
		{"exclusion", "python NOT java", "c"},
		{"a minus sign", "python -java", "c"},
		{"exclusion of a group", "python NOT (java OR perl)", "c"},
		{"exclusion binds before OR", "kubernetes OR python NOT java", "bc"},
		{"exclusion of an alternative", "docker NOT (kubernetes OR deployment)", "is"},
		{"stems", "deploying", "g"},
		{"a beginning", "deploy*", "ag"},
		{"a longer one", "deployme*", "a"},
		{"no other words with this stem", "deployer*", ""},
		{"a beginning excluded", "docker NOT deploy*", "bis"},
		{"a beginning in an excluded group", "docker NOT (deploy* OR 部署)", "bs"},
		{"a beginning as alternative", "kuber* OR deploym*", "ab"},
		{"a beginning of a phrase", `"docker dep"*`, "a"},
		{"no middle of a word", "ploy*", ""},
		{"a word that is not there", "docker absent", ""},

		{"two Chinese characters", "分散", "h"},
		{"one", "散", "h"},
		{"one at the end of a text", "務 OR 务", "i"},
		{"one that is a text", "部", "ip"},
		{"three", "分散シ", "h"},
		{"a whole text", "分散システムの設計について話した", "h"},
		{"not in this order", "散分", ""},
		{"not side by side", "分シ", ""},
		{"two runs", "分散 設計", "h"},
		{"Latin within Chinese", "docker 部署", "i"},
		{"Latin and Chinese side by side", "部署docker服务", "i"},
		{"a part of that", "署docker服", "i"},
		{"Chinese excluded", "docker NOT 部署", "abs"},
		{"katakana", "システム", "h"},
		{"hangul with a particle", "시스템", "j"},
		{"Thai", "กระจาย", "k"},
		{"digits between Chinese", "3.5", "o"},

		{"diacritics", "cafe", "mn"},
		{"diacritics in the query", "CAFÉ", "mn"},
		{"decomposed in the query", "cafe\u0301", "mn"},
		{"Greek", "οδυσσευς OR ΟΔΥΣΣΕΥΣ", "m"},
		{"Cyrillic", "ПРИВЕТ", "m"},
		{"Devanagari", "हिन्दी", "m"},
		{"an address", "user@example.com", "l"},
		{"a hyphen", "a-b", "l"},
		{"signs", "C++", "l"},
		{"a column", "col:x", "l"},
		{"a name in code", "user_id", "q"},
		{"a part of it", "snake", "q"},
		{"deep in a long text", "needle", "r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []session.ID
			for _, h := range look(t, st, c.query) {
				got = append(got, h.Session.ID)
				if len(h.Matches) != 1 || len(h.Matches[0].Snippet.Highlights) == 0 {
					t.Errorf("%s: got %+v, want one match with highlights", h.Session.ID, h.Matches)
				}
			}
			text := ""
			for _, id := range sortedIDs(got) {
				text += string(id)
			}
			if text != c.want {
				t.Errorf("%s: got %q, want %q", c.query, text, c.want)
			}
		})
	}
}

// testFolding: words that differ by case, by Latin diacritics or by width are one word, as a word, in
// a phrase and with a star. Each store finds the same.
func testFolding(t *testing.T, st Store) {
	for i, words := range []string{
		"Straße STRASSE straße Straẞe", "İstanbul istanbul ıstanbul ISTANBUL", "ＡＢＣ１２３ abc123 ａｂｃ１２３", "ΟΔΥΣΣΕΥΣ οδυσσευς οδυσσευσ Οδυσσευς",
		"ŉabc nabc NABC ñabc n\u0303abc", "ᏸᏸᏸ ᏰᏰᏰ", "ꭰꭰꭰ ᎠᎠᎠ", "việt VIỆT viet vie\u0323\u0302t", "ﬁnest finest FINEST", "ſtopp stopp", "łódź ŁÓDŹ lodz",
		"Kelvin \u212aelvin kelvin", "Ёлка ёлка ЁЛКА", "Елка елка", "smørbrød SMØRBRØD smorbrod", "µmeter μmeter",
	} {
		forms := strings.Fields(words)
		var ids []session.ID
		for k, form := range forms {
			id := session.ID(fmt.Sprintf("%02d-%d", i, k))
			newTalk(alice(), id, "").say(t, st, "zqx "+form+" end")
			ids = append(ids, id)
		}
		for _, form := range forms {
			for _, query := range []string{form, form + "*", `"zqx ` + form + `"`, `"` + form + ` end"`} {
				got := look(t, st, query)
				same(t, query, sortedIDs(roots(got)), ids)
				for _, hit := range got {
					if len(hit.Matches[0].Snippet.Highlights) == 0 {
						t.Errorf("%s in %s: nothing is highlighted in %q", query, hit.Session.ID, hit.Matches[0].Snippet.Text)
					}
				}
			}
		}
	}
}

// testHostile sends queries that could break an index. The outcome is a list or a
// refusal, never another error.
func testHostile(t *testing.T, st Store) {
	for i := range 20 {
		newTalk(alice(), session.ID(fmt.Sprint(i)), "").say(t, st, "the quick brown fox ' \" * ( ) NEAR content scope o616c6963650", "部分 column rank")
	}
	for _, query := range []string{
		`"unclosed`, "a-b", "C++", "NEAR(", "NEAR(the fox, 2)", "*", "^the", "col:x", "content:fox", "scope:o616c6963650", "{content}:fox",
		"🎉", "the🎉fox", "fox + quick", "'; DROP TABLE messages; --", `fox" OR scope : "o616c6963650`, "\x00", "fox\x00quick", "\xff\xfe",
		"NOT fox", "fox NOT fox", "the AND AND fox", strings.Repeat("(", 10_000), strings.Repeat("fox OR ", 31) + "fox",
		strings.Repeat("x", 1<<20), `"` + strings.Repeat("the ", 64) + `"`, strings.Repeat("the", 600), "AND", `""`, "部*", "ﷺ", "\u0301\u0301", "²", "Ⅷ",
	} {
		q, err := search.Parse(query)
		if err == nil {
			_, err = st.Search(t.Context(), alice(), search.Request{Query: q, Scope: search.Scope{All: true}})
		}
		if err != nil && (fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "invalid_query") {
			t.Errorf("%.40q: got %v, want a list or invalid_query", query, err)
		}
	}
	for query, want := range map[string]int{`fox" OR scope : "o616c6963650`: 0, "scope:fox": 0, "rank:fox": 0, "content:fox": 0, "content:scope": 20, "fox NOT fox": 0} {
		if got := len(look(t, st, query)); got != want {
			t.Errorf("%s: got %d hits, want %d", query, got, want)
		}
	}
}
