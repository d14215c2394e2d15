package language

import (
	"strconv"
	"strings"
	"sync"
)

// wordClass is a set of the parts that a word can play in an expression of time or
// before it.
type wordClass uint64

const (
	otherWord   wordClass = 1 << iota // a run of words that have no part, as most nouns
	smallWord                         // a run of stop words that have no part
	otherMark                         // punctuation that has no part
	commaMark                         // ,
	dotMark                           // .
	dashMark                          // - and –
	bracketMark                       // ( and )
	stopMark                          // ends a sentence, a clause or a line: . ! ? ; : and a line break
	tickMark                          // an apostrophe
	fullDate                          // a date in figures; value is yyyymmdd, dd 0 for a month
	dayNumber                         // a number up to 31, also an ordinal
	nthWord                           // an ordinal: "7th", "first"
	yearNumber                        // four digits that may be a year
	countWord                         // a number of something; vague for "few"
	vagueWord                         // "couple", "few", "several"
	aWord                             // a, an
	monthWord                         // value 1–12
	weekdayWord                       // value 0–6, Sunday first
	unitWord                          // value is a dateUnit
	partOfDay                         // night, morning, afternoon, evening
	decadeWord                        // "1990s", "90s"; value is its first year
	seasonWord                        // value 0–3, spring first
	quarterWord                       // value 1–4
	holidayWord                       // value is 100 times the month, and the day
	eveWord                           // eve
	lastWord                          // last, past, previous
	nextWord                          // next, coming
	thisWord                          // this, current
	agoWord                           // ago, back
	beforeWord                        // before, prior
	afterWord                         // after, following
	fromWord                          // from, starting
	toWord                            // to, through; a dash has it, too
	andWord                           // and, or
	betweenWord                       // between
	nowWord                           // now
	dayWord                           // value −1 yesterday, 0 today, 1 tomorrow
	theWord                           // the
	myWord                            // my, our, and the other possessives
	ofWord                            // of
	inWord                            // in
	sinceWord                         // since: what lies behind
	untilWord                         // until, till, by: up to what lies ahead
	forWord                           // for
	duringWord                        // during, throughout
	onWord                            // on, over, at
	partWord                          // value 0 early, 1 mid, 2 late
	everyWord                         // every, each, mornings: what recurs is no date
	nameWord                          // before a weekday, part of a name: "Black Friday"
	newWord                           // new: "New Year's Eve"
	beWord                            // is, are, am: with "…ing" they point ahead
	nowVerb                           // have, do, can: what is told in the present
	futureWord                        // will, must, hope, begins: what lies ahead
	planWord                          // booked, agreed: with "for" or "to" it points ahead
	planNoun                          // tickets, reservation: so do these
	ingWord                           // a word in -ing
	pastWord                          // a word in -ed, was, had, went: what lies behind
	wasWord                           // was, were
	gotWord                           // got: with "have" it is told in the present
	alikeWord                         // put, cut: a verb whose past is its plain form
	backWord                          // vor, hace: ago, before the amount
)

// How an expression stands to a word before it. No form has these and no token has those of
// forms, so that they share bits.
const (
	toward = optional // a word that leads on to the expression stands between: "for", "to"
	close  = marked   // the expression follows, up to a preposition
)

// prepositions may stand before a bare weekday or day.
const prepositions = onWord | inWord | sinceWord | untilWord | forWord | fromWord | duringWord |
	beforeWord | afterWord | toWord | betweenWord

// tellsTime reports whether a token can be what an expression of time is about.
// All others only say how it is meant.
func tellsTime(t dateToken) bool {
	const about = fullDate | dayNumber | yearNumber | nthWord | monthWord | weekdayWord | unitWord | partOfDay |
		decadeWord | seasonWord | quarterWord | holidayWord | nowWord | dayWord
	return t.is&about != 0
}

// dateUnit is a unit of the calendar.
type dateUnit = int32

const (
	unitDay dateUnit = iota
	unitWeek
	unitFortnight
	unitMonth
	unitQuarter
	unitYear
	unitDecade
	unitWeekend
	unitHour
	unitNight
)

// dateVocabulary are the words of the grammar. Their values count from the first on, one
// for each comma, unless they give their own: "fifteen=15". A word with "~" is also
// an everyday word or a name.
var dateVocabulary = []struct {
	is    wordClass
	first int32
	words string
}{
	{monthWord, 1, "january jan~, february feb, march~ mar~, april apr, may~, june jun~"},
	{monthWord, 7, "july jul~, august aug~, september sep~ sept, october oct~, november nov~, december dec~"},
	{weekdayWord, 0, "sunday sun~, monday mon~, tuesday tue~ tues, wednesday wed~, thursday thu~ thur thurs, friday fri~, saturday sat~"},
	{unitWord, 0, "day days, week weeks, fortnight, month months, quarter quarters, year years yr yrs"},
	{unitWord, unitDecade, "decade decades, weekend weekends, hour hours, nights"},
	{partOfDay, 0, "morning, afternoon, evening, night, lunchtime"},
	{countWord, 1, "one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, fifteen=15, twenty=20, thirty=30"},
	{countWord | aWord, 1, "a an"},
	{countWord | vagueWord, 2, "couple, few, several"},
	{nthWord | dayNumber, 1, "first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth"},
	{nthWord | dayNumber, 0, "fifteenth=15 twentieth=20 thirtieth=30"},
	{seasonWord, 0, "spring~, summer, autumn fall~, winter"},
	{quarterWord, 1, "q1, q2, q3, q4"},
	{holidayWord, 0, "christmas=1225 xmas=1225 halloween=1031 valentine=214 valentines=214"},
	{eveWord, 0, "eve"},
	{lastWord, 0, "last past previous"}, {nextWord, 0, "next upcoming"}, {nextWord | ingWord, 0, "coming"}, {thisWord, 0, "this current"},
	{agoWord, 0, "ago back"}, {beforeWord, 0, "before prior preceding"}, {afterWord, 0, "after following"},
	{fromWord, 0, "from"}, {fromWord | ingWord, 0, "starting"}, {toWord, 0, "to through"}, {andWord, 0, "and or"}, {betweenWord, 0, "between"},
	{nowWord, 0, "now"}, {dayWord, -1, "yesterday, today tonight, tomorrow"},
	{theWord, 0, "the"}, {myWord, 0, "my our your his her its their whose"}, {ofWord, 0, "of"}, {inWord, 0, "in"},
	{sinceWord, 0, "since"}, {untilWord, 0, "until till by"}, {forWord, 0, "for"}, {duringWord, 0, "during throughout"},
	{onWord, 0, "on over at"},
	{partWord, 0, "early beginning, mid middle, late end"},
	{everyWord, 0, "every each most mornings afternoons evenings"},
	{newWord, 0, "new"}, {nameWord, 0, "black cyber ash palm good fat super giving casual taco ruby easter bloody"},
	{beWord, 0, "is are am m re gets isn't aren't isnt arent"},
	{ingWord, 0, "being"},
	{nowVerb, 0, "have has ve can could do does don can could would d let lets"},
	{nowVerb, 0, "haven't hasn't don't doesn't can't wouldn't dont doesnt cant"},
	{futureWord, 0, "won't shouldn't mustn't needn't wont"},
	{futureWord, 0, "will ll shall gonna must should need needs want wants please remind reminder hope hopes"},
	{futureWord, 0, "hoping plan plans planning thinking intend intends due deadline visit"},
	{futureWord, 0, "leave leaves fly flies arrive arrives depart departs starts begin begins expires ends opens closes"},
	{futureWord, 0, "joins launches ship ships meet meets return returns go goes move moves come comes resumes finishes runs"},
	{partWord | futureWord, 0, "start"},
	{planWord, 0, "booked signed registered enrolled enroled scheduled rescheduled planned invited reserved agreed"},
	{planWord, 0, "promised arranged postponed delayed extended confirmed decided applied set"},
	{planNoun, 0, "ticket tickets appointment reservation booking invitation"},
	{pastWord | wasWord, 0, "was were did wasn't weren't didn't couldn't hadn't wasnt werent didnt couldnt"},
	{alikeWord, 0, "put cut hit hurt shut quit split spread"},
	{pastWord | gotWord, 0, "got"}, {pastWord, 0, "had been"},
	{smallWord, 0, "hundred indeed need instead maybe perhaps probably hopefully though around"},
}

// dateWord is what a word can mean in an expression of time.
type dateWord struct {
	is       wordClass
	value    int32
	doubtful bool
}

// longestDateWord is the length of the longest word of the grammar.
const longestDateWord = 11

// dateWords are the words of the grammar, the stop words, and the past of irregular
// verbs, read once.
var dateWords = sync.OnceValue(func() map[string]dateWord {
	words := make(map[string]dateWord, 800)
	verbs, _, _ := strings.Cut(irregularText, "# nouns")
	for _, forms := range Lists(verbs) {
		for form := range strings.FieldsSeq(forms[0]) {
			words[form] = dateWord{is: pastWord}
		}
	}
	for word := range stops {
		words[word] = dateWord{is: smallWord}
	}
	for _, v := range dateVocabulary {
		for i, group := range strings.Split(v.words, ",") {
			for word := range strings.FieldsSeq(group) {
				word, given, own := strings.Cut(word, "=")
				value := v.first + int32(i)
				if n, err := strconv.Atoi(given); own && err == nil {
					value = int32(n)
				}
				word, doubtful := strings.CutSuffix(word, "~")
				words[word] = dateWord{is: v.is, value: value, doubtful: doubtful}
			}
		}
	}
	return words
})
