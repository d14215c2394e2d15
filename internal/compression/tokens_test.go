package compression

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// TestEstimate compares the estimate with o200k's own count, within bounds that
// say how careful it is on each kind of text.
func TestEstimate(t *testing.T) {
	t.Parallel()
	const code = "func (s *Store) Tip(ctx context.Context, o owner.Owner, id ID) (Session, error) {\n" +
		"\tif err := db.QueryRowContext(ctx, q, o.ID()).Scan(&x); err != nil {\n\t\treturn fmt.Errorf(\"tip: %w\", err)\n\t}\n}\n"
	for _, c := range []struct {
		name, text string
		low, high  float64
	}{
		{"English", "The quick brown fox jumps over the lazy dog, and nobody knows why it wanted to do so on a Tuesday afternoon.", 1, 1.3},
		{"German", "Ich baue einen verteilten Cache in Rust für meine Firma, und die Geschwindigkeit ist uns sehr wichtig.", 1, 1.3},
		{"French", "Je construis un cache distribué en Rust pour mon entreprise, et la performance compte beaucoup pour nous.", 1, 1.3},
		{"Spanish", "Estoy construyendo una caché distribuida en Rust para mi empresa, y el rendimiento nos importa mucho.", 1, 1.3},
		{"Slovak", "Budujem distribuovanú vyrovnávaciu pamäť v jazyku Rust pre moju firmu a výkon je pre nás veľmi dôležitý.", 1, 1.3},
		{"Vietnamese", "Tôi đang xây dựng một bộ nhớ đệm phân tán bằng Rust cho công ty của tôi ở Hà Nội.", 1, 2.2},
		{"Russian", "Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства.", 1, 3.2},
		{"Arabic", "هذا نص عربي قصير عن الذاكرة الموزعة وكيفية بنائها في شركتنا.", 1, 3},
		{"Hindi", "मैं रस्ट में एक वितरित कैश बना रहा हूँ और यह बहुत तेज़ है।", 1, 3},
		{"Thai", "ฉันกำลังสร้างแคชแบบกระจายใน Rust สำหรับบริษัทของฉัน", 1, 3},
		{"Amharic", "እኔ የተከፋፈለ መሸጎጫ እየገነባሁ ነው።", 1, 2},
		{"Tibetan", "ང་ཚོས་ལས་འགུལ་འདི་མགོ་བཙུགས་པ་ཡིན།", 1, 2},
		{"Chinese", "我正在用Rust为我的公司构建一个分布式缓存，性能非常重要。", 1, 2},
		{"Japanese", "私は会社のためにRustで分散キャッシュを構築しています。性能がとても大事です。", 1, 2},
		{"Korean", "저는 회사를 위해 러스트로 분산 캐시를 구축하고 있습니다.", 1, 2},
		{"emoji", "🎉🚀👩‍👩‍👧‍👦🏳️‍🌈🤷🏽‍♀️ yes 🥳🥳🥳", 1, 2},
		{"mathematics", "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β = ¬(¬α ∨ β), ∫₀^∞ e^{−x²} dx = √π/2", 1, 1.5},
		{"code", code, 1, 1.6},
		{"JSON", `{"id":"call_abc123DEF","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}`, 1, 2.5},
		{"capitals", "THIS IS A LONG SENTENCE IN CAPITAL LETTERS ABOUT DISTRIBUTED CACHES AND THE PERFORMANCE OF SYSTEMS", 1, 1.6},
		{"camel case", "getHTTPServerConfigurationFactoryBeanPostProcessorImplXMLParser", 1, 1.6},
		{"URL", "https://www.example.com/path/to/resource?id=12345&token=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9#fragment", 1, 1.5},
		{"digits", strings.Repeat("3141592653", 20), 1, 1.2},
		{"UUIDs", "7f9c24e8-3b12-4f8a-9d55-0a1b2c3d4e5f 3fa85f64-5717-4562-b3fc-2c963f66afa6", 1, 1.3},
		{"white space", "a" + strings.Repeat(" ", 200) + "b" + strings.Repeat("\n", 50) + strings.Repeat("\t", 30) + "c", 1, 3},
		{"punctuation", "!@#$%^&*()_+-=[]{}|;':\",./<>?`~ ... --- *** === ### ||| &&& <<< >>> ;;; ", 1, 1.5},
		{"bytes that are no text", "caf\xe9 na\xefve \xff\xfe\x00\x80 \x1b[31m", 1, 2},
		// Where it falls short, and how far.
		{"Finnish", "Rakennan hajautettua välimuistia Rustilla yritykselleni, ja suorituskyky on meille hyvin tärkeää.", 0.8, 1.3},
		{"Swahili", "Ninajenga kashe iliyosambazwa kwa Rust kwa kampuni yangu, na utendaji ni muhimu sana kwetu.", 0.7, 1.3},
		{"base64", "kPZ3mQ0aXc8eR5tYb7Uw2LhJ9sVnD4fGgK1oTqW6iEzHxMrAyBvCdNjSuFlpO+/IkPZ3mQ0aXc8eR5tYb7Uw2LhJ9sVnD4fGgK1oTqW6", 0.8, 1.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.TrimSpace(strings.Repeat(c.text+" ", 3))
			got, exact := Estimate(text), countO200k(text)
			if ratio := float64(got) / float64(exact); ratio < c.low || ratio > c.high {
				t.Errorf("got %d tokens, o200k counts %d: a ratio of %.2f, want %.2f to %.2f", got, exact, ratio, c.low, c.high)
			}
		})
	}
}

func TestCounterFor(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{
		"gpt-4o": true, "gpt-4o-mini-2024-07-18": true, "gpt-5": true, "o3-mini": true, "openai/gpt-4.1": true, "a/b/gpt-oss-20b": true,
		"": false, "hermes": false, "gpt-4": false, "gpt-3.5-turbo": false, "claude-sonnet-4-5": false, "llama3.2": false,
		"openai/": false, "my-gpt-4o": false,
	} {
		count, exact := CounterFor(model)
		if exact != want {
			t.Errorf("%q: got exact %v, want %v", model, exact, want)
		}
		if got := count("hello world"); got != 2 {
			t.Errorf("%q: got %d tokens, want 2", model, got)
		}
	}
}

func TestCountersAtOnce(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Counters are safe for concurrent use. ", 50)
	want := countO200k(text)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := countO200k(text); got != want {
					t.Errorf("got %d, want %d", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzEstimate(f *testing.F) {
	for _, s := range []string{"", " ", "hello", "  \n\n\t", "aB1+/=", "ü名🎉", "\xff\xfe", "a  b", "....", "AAAA", "aAaAaA9"} {
		f.Add(s, "tail")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		n := Estimate(a)
		if n < 0 || n > 3*len(a) {
			t.Fatalf("%q: got %d tokens of %d bytes", a, n, len(a))
		}
		if n == 0 && strings.TrimLeft(a, " ") != "" {
			t.Errorf("%q: got no token", a)
		}
		// What is put together costs about what its parts do: budgets are sums.
		// A word, or a run of one sign, may join at the seam.
		if whole, parts := Estimate(a+"\n"+b), n+Estimate("\n")+Estimate(b); whole > parts || whole+3 < parts {
			t.Errorf("%q and %q: got %d together and %d apart", a, b, whole, parts)
		}
		if utf8.ValidString(a) && n*8 < utf8.RuneCountInString(strings.Join(strings.Fields(a), ""))/4 {
			t.Errorf("%q: got %d tokens, want more", a, n)
		}
	})
}
