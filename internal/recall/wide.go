package recall

import (
	"strings"
	"unicode"
)

// wideQuestionWords are the words of Chinese and Japanese questions that say
// how one asks, not what is asked for, the longer ones first.
const wideQuestionWords = `为什么 為什麼 什么时候 什麼時候 怎么样 ですか ますか でしたか ましたか どうして 什么 什麼 哪里 哪裡 哪个 哪個 怎么 怎麼 多少 是谁 どこ だれ なに どの どう いつ なぜ 谁 誰 何 吗 嗎 呢 几 幾`

// wideBlank puts a space in the place of each of them; never written.
var wideBlank = func() *strings.Replacer {
	var pairs []string
	for word := range strings.FieldsSeq(wideQuestionWords) {
		pairs = append(pairs, word, " ")
	}
	return strings.NewReplacer(pairs...)
}()

// blank takes the question words out of writing without spaces. Other text is
// returned as it is.
func blank(text string) string {
	if !isWide(text) {
		return text
	}
	return wideBlank.Replace(text)
}

// isWide reports whether a text is mostly in a writing without spaces.
func isWide(text string) bool {
	wide, all := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			all++
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
				wide++
			}
		}
	}
	return wide > 0 && wide*2 >= all
}
