package errand

import (
	"regexp"
	"slices"
	"strings"
)

// product is a word for what is to be made.
type product struct {
	kind Kind
	// words name the product. With alone they say also that it is to be made.
	words, alone []string
	// of names what it is made of; nil for a conversation.
	of []string
}

// products in the order in which they are looked for: a title "that summarises the chat"
// is a title, and a follow-up question to be rephrased is a query.
var products = []product{
	{kind: Tools, alone: []string{"choose the right tool", "choose and return the", "select the right tool"}, of: []string{"query"}},
	{kind: Completion, alone: []string{"autocompletion", "continue the text", "complete the text"}, of: []string{"text"}},
	{kind: Emoji, words: []string{"fitting emoji", "one emoji", "an emoji"}, of: []string{"message"}},
	{kind: Emotion, alone: []string{"classify the emotion", "classify the expression"}, of: []string{"last message", "roleplay", "chat"}},
	{kind: Queries, words: []string{"search quer", "standalone quer", "standalone question", "suchanfrage", "requêtes de recherche",
		"consultas de búsqueda", "consultas de pesquisa", "поисковые запрос", "検索クエリ", "검색어", "搜索查询", "检索词"}},
	{kind: FollowUps, words: []string{"follow-up", "follow up", "follow_up", "anschlussfrage", "folgefrage",
		"questions de suivi", "preguntas de seguimiento",
		"perguntas de acompanhamento", "domande di follow", "уточняющ",
		"suggested repl", "suggested respon", "suggested question", "smart repl", "quick repl", "reply suggestion",
		"related question", "next prompt",
		"antwortvorschl", "réponses suggérées", "respuestas sugeridas", "respostas sugeridas", "risposte suggerite", "варианты ответ",
		"返信候補", "返信の候補", "추천 답변", "추천 질문", "推荐回复", "回复建议", "後続の質問", "후속 질문", "后续问题", "追问"},
		alone: []string{"predict what the user", "predict the user's next"}},
	{kind: Image, words: []string{"image prompt", "image generation", "bildgenerierung", "génération d'image"}},
	{kind: Tags, words: []string{"tags", "schlagw", "étiquettes", "etiquetas", "etichette", "теги", "タグ", "태그", "标签"}},
	{kind: Title, words: []string{"title", "titel", "titre", "título", "titolo", "заголов", "название", "タイトル", "제목", "标题",
		"名称", "um nome", "un nombre", "einen namen",
		"name (", "concise name", "short name", "kebab-case name"}, alone: []string{"name this conversation",
		"name the conversation", "name this chat", "conversation a name", "chat a name"}},
	{kind: Summary, words: []string{"summary", "zusammenfassung", "résumé", "resumen", "resumo", "riassunto",
		"краткое содержание", "要約", "요약", "摘要", "总结"},
		alone: []string{"summari", "fasse", "résume", "resume ", "resuma", "riassumi", "compaction"}, of: slices.Concat(chats, handoff)},
}

// makes are words for making something.
var makes = []string{
	"generat", "write", "create", "give", "provide", "produce", "suggest", "propose", "make ", "come up", "compose", "assign",
	"extract", "examine", "decide", "determine",
	"repl", "respond", "return", "output", "describe", "rewrite", "rephrase", "summari", "show", "reflect", "title generator", "captur",
	"erzeug", "erstell", "schreib", "vergib", "schlage", "formulier", "génère", "donne", "propose", "écris", "crée", "genera",
	"crea", "escribe", "sugiere",
	"состав", "выведи", "верни", "ください", "하세요", "返回",
	"devuelve", "dê ", "gere ", "crie ", "sugira", "restituisci", "придумай", "созда", "сгенерир", "напиши", "предложи",
	"作成", "生成", "付け", "提案", "만드", "작성", "생성", "起", "概括", "建议", "总结", "归纳",
}

// chats are words for a conversation.
var chats = []string{
	"conversation", "chat", "dialog", "discussion", "session", "thread", "story so far", "roleplay", "message history",
	"messages below", "messages above", "first message", "messages",
	"konversation", //nolint:misspell // German
	"unterhaltung", "gespräch", "échange", "conversación", "conversa", "conversazion", "диалог", "бесед", "разговор", "чат",
	"会話", "対話", "チャット", "대화", "채팅", "会话", "对话", "聊天",
}

// handoff are words for what a summary is for if another model goes on with it.
var handoff = []string{
	"another llm", "another model", "another assistant", "another language model", "next llm", "handoff", "hand-off",
	"context window", "compaction",
	"will resume", "to continue the", "continue the work", "continuing the conversation", "losing context", "replace it",
}

// conditional begins sentences that say what to do in a case.
var conditional = regexp.MustCompile(`^[\s\-*#>]*(if |when|whenever|once |wenn |falls |sobald |si |cuando |quand |` +
	`lorsque |se |quando |если |когда )`)

// consequent begins sentences that go on from the one before.
var consequent = regexp.MustCompile(`^if (so|it does|yes)\b`)

// onlyInCase reports whether what stands at a place is to be made in a case only.
func onlyInCase(text string, at int) bool {
	s := sentence(text, at)
	return conditional.MatchString(s) && !consequent.MatchString(s)
}

// asksForSummary reports whether a message ends a conversation that is to be summarised.
func asksForSummary(text string) bool {
	lead := strings.ToLower(text[:min(len(text), messageLead)])
	return has(lead, chats) && (has(lead, []string{"summar", "continuing"}) || has(lead, handoff))
}

// wanted is the kind of product that the beginning of a text asks for, made of a
// conversation. The beginning has size bytes.
func wanted(text string, size int) Kind {
	text = strings.TrimSpace(text)
	return wantedIn(strings.ToLower(text[:min(len(text), size)]))
}

// purpose is the part of a system prompt that says what it is for: its first two
// sentences. What comes later are rules for cases.
func purpose(text string) string {
	text = strings.TrimSpace(text)
	end := 0
	for range 2 {
		at := endOfSentence.FindStringIndex(text[end:])
		if at == nil {
			return text
		}
		end += at[1]
	}
	return text[:end]
}

var endOfSentence = regexp.MustCompile(`[.!?] |[。！？]|\n\s*`)

// Around a product, in bytes: where the word for making it stands.
const (
	before = 170
	after  = 90
)

func wantedIn(lead string) Kind {
	chat := has(lead, chats)
	for i := range products {
		p := &products[i]
		if p.of == nil && !chat {
			continue
		}
		if p.asked(lead) && (p.of == nil || has(lead, p.of)) {
			return p.kind
		}
	}
	return ""
}

// asked reports whether the text asks for the product.
func (p *product) asked(lead string) bool {
	for _, word := range p.alone {
		if at := strings.Index(lead, word); at >= 0 && !onlyInCase(lead, at) {
			return true
		}
	}
	for _, word := range p.words {
		at := strings.Index(lead, word)
		if at < 0 || strings.HasSuffix(lead[:at], "> ") { // in "<chat_history> tags", the tags are none
			continue
		}
		if has(lead[max(0, at-before):min(len(lead), at+after)], makes) && !onlyInCase(lead, at) {
			return true
		}
	}
	return false
}

// sentence is the sentence around a place.
func sentence(text string, at int) string {
	from := strings.LastIndexAny(text[:at], ".!?\n。！？") + 1
	return strings.TrimLeft(strings.ToValidUTF8(text[from:], ""), " ")
}

func has(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
