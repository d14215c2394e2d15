package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestEastAsianEmphasis: marks next to Chinese, Japanese and Korean text open and close as people mean them, and all others as
// CommonMark says.
func TestEastAsianEmphasis(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"**标题：**内容": "<b>标题：</b>内容",
		"use **「重点」**的 and **Name:** ok and 这是**“重要”**的": "use <b>「重点」</b>的 and <b>Name:</b> ok and 这是<b>“重要”</b>的",
		"これは**私のやりたかったこと。**だからするの。":                      "これは<b>私のやりたかったこと。</b>だからするの。",
		"**この文(really)**と":        "<b>この文(really)</b>と",
		"**C#**や**F#**は":          "<b>C#</b>や<b>F#</b>は",
		"先頭の**`コード`も**":           "先頭の<code>コード</code><b>も</b>",
		"税込**¥10,000**で":          "税込<b>¥10,000</b>で",
		"正解は**④**です":              "正解は<b>④</b>です",
		"**이 용어(This term)**를 강조": "<b>이 용어(This term)</b>를 강조",
		"*標題：*内容 ~~旧。~~新":         "<i>標題：</i>内容 <s>旧。</s>新",
		"葛\U000e0100**(ね)**豆":     "葛\U000e0100<b>(ね)</b>豆",
		"大塚\ufe00**(a)** b":       "大塚\ufe00<b>(a)</b> b",
		"**true。\ufe01**false":    "<b>true。\ufffd</b>false",
		"**“a”\ufe01**的":          "<b>“a”\ufffd</b>的",
		"“\ufe01**a**”":           "“\ufffd<b>a</b>”",
		"这是__“重要”__的":             "这是__“重要”__的", // an underscore opens and closes no word from within
		"（__a__）":                 "（<b>a</b>）",
		"a**“b”**c":               "a**“b”**c", // as CommonMark says
		"**Name:**ok":             "**Name:**ok",
		"x **a** y":               "x <b>a</b> y",
		"snake_case_name 2*3*4":   "snake_case_name 2<i>3</i>4",
		"🎉**(a)**🎉":               "🎉<b>(a)</b>🎉",
	} {
		if got := markdown.Render(markdown.Parse(src), markdown.TelegramHTML); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
	for d, want := range map[markdown.Dialect]string{
		markdown.DiscordMarkdown: "**标题：**内容", markdown.SlackMrkdwn: "*标题：*\u200b内容", markdown.WhatsAppText: "*标题：*\u200b内容", markdown.Plain: "标题：内容",
	} {
		if got := markdown.Render(markdown.Parse("**标题：**内容"), d); got != want {
			t.Errorf("dialect %d: got %q, want %q", d, got, want)
		}
	}
}
