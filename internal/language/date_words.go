package language

// dateWord is what a word can mean in an expression of time.
type dateWord struct {
	class    dateClass
	value    int32
	vague    bool
	doubtful bool
}

// longestDateWord is the length of the longest word in dateWords.
const longestDateWord = 10

// dateWords is the vocabulary of the grammar; never written.
var dateWords = map[string]dateWord{
	"january": {class: monthWord, value: 1}, "february": {class: monthWord, value: 2},
	"march": {class: monthWord, value: 3, doubtful: true}, "april": {class: monthWord, value: 4},
	"may": {class: monthWord, value: 5, doubtful: true}, "june": {class: monthWord, value: 6},
	"july": {class: monthWord, value: 7}, "august": {class: monthWord, value: 8},
	"september": {class: monthWord, value: 9}, "october": {class: monthWord, value: 10},
	"november": {class: monthWord, value: 11}, "december": {class: monthWord, value: 12},
	"jan": {class: monthWord, value: 1, doubtful: true}, "feb": {class: monthWord, value: 2},
	"mar": {class: monthWord, value: 3, doubtful: true}, "apr": {class: monthWord, value: 4},
	"jun": {class: monthWord, value: 6, doubtful: true}, "jul": {class: monthWord, value: 7, doubtful: true},
	"aug": {class: monthWord, value: 8, doubtful: true}, "sep": {class: monthWord, value: 9, doubtful: true},
	"sept": {class: monthWord, value: 9}, "oct": {class: monthWord, value: 10, doubtful: true},
	"nov": {class: monthWord, value: 11, doubtful: true}, "dec": {class: monthWord, value: 12, doubtful: true},

	"sunday": {class: weekdayWord, value: 0}, "monday": {class: weekdayWord, value: 1},
	"tuesday": {class: weekdayWord, value: 2}, "wednesday": {class: weekdayWord, value: 3},
	"thursday": {class: weekdayWord, value: 4}, "friday": {class: weekdayWord, value: 5},
	"saturday": {class: weekdayWord, value: 6},
	"sun":      {class: weekdayWord, value: 0, doubtful: true}, "mon": {class: weekdayWord, value: 1, doubtful: true},
	"tue": {class: weekdayWord, value: 2, doubtful: true}, "tues": {class: weekdayWord, value: 2},
	"wed": {class: weekdayWord, value: 3, doubtful: true}, "thu": {class: weekdayWord, value: 4, doubtful: true},
	"thur": {class: weekdayWord, value: 4}, "thurs": {class: weekdayWord, value: 4},
	"fri": {class: weekdayWord, value: 5, doubtful: true}, "sat": {class: weekdayWord, value: 6, doubtful: true},

	"day": {class: unitWord, value: unitDay}, "days": {class: unitWord, value: unitDay},
	"week": {class: unitWord, value: unitWeek}, "weeks": {class: unitWord, value: unitWeek},
	"fortnight": {class: unitWord, value: unitFortnight},
	"month":     {class: unitWord, value: unitMonth}, "months": {class: unitWord, value: unitMonth},
	"quarter": {class: unitWord, value: unitQuarter}, "quarters": {class: unitWord, value: unitQuarter},
	"year": {class: unitWord, value: unitYear}, "years": {class: unitWord, value: unitYear},
	"yrs": {class: unitWord, value: unitYear}, "yr": {class: unitWord, value: unitYear},
	"decade": {class: unitWord, value: unitDecade}, "decades": {class: unitWord, value: unitDecade},
	"weekend": {class: unitWord, value: unitWeekend}, "weekends": {class: unitWord, value: unitWeekend},
	"hour": {class: unitWord, value: unitHour}, "hours": {class: unitWord, value: unitHour},
	"night": {class: unitWord, value: unitNight}, "nights": {class: unitWord, value: unitNight},
	"morning": {class: unitWord, value: unitNight}, "afternoon": {class: unitWord, value: unitNight},
	"evening": {class: unitWord, value: unitNight},

	"a": {class: countWord, value: 1}, "an": {class: countWord, value: 1}, "one": {class: countWord, value: 1},
	"two": {class: countWord, value: 2}, "three": {class: countWord, value: 3}, "four": {class: countWord, value: 4},
	"five": {class: countWord, value: 5}, "six": {class: countWord, value: 6}, "seven": {class: countWord, value: 7},
	"eight": {class: countWord, value: 8}, "nine": {class: countWord, value: 9}, "ten": {class: countWord, value: 10},
	"eleven": {class: countWord, value: 11}, "twelve": {class: countWord, value: 12},
	"fifteen": {class: countWord, value: 15}, "twenty": {class: countWord, value: 20},
	"thirty": {class: countWord, value: 30}, "couple": {class: countWord, value: 2, vague: true},
	"few": {class: countWord, value: 3, vague: true}, "several": {class: countWord, value: 4, vague: true},

	"first": {class: ordinalWord, value: 1}, "second": {class: ordinalWord, value: 2},
	"third": {class: ordinalWord, value: 3}, "fourth": {class: ordinalWord, value: 4},
	"fifth": {class: ordinalWord, value: 5}, "sixth": {class: ordinalWord, value: 6},
	"seventh": {class: ordinalWord, value: 7}, "eighth": {class: ordinalWord, value: 8},
	"ninth": {class: ordinalWord, value: 9}, "tenth": {class: ordinalWord, value: 10},
	"eleventh": {class: ordinalWord, value: 11}, "twelfth": {class: ordinalWord, value: 12},
	"fifteenth": {class: ordinalWord, value: 15}, "twentieth": {class: ordinalWord, value: 20},
	"thirtieth": {class: ordinalWord, value: 30},
	"spring":    {class: seasonWord, value: 0, doubtful: true}, "summer": {class: seasonWord, value: 1},
	"autumn": {class: seasonWord, value: 2}, "fall": {class: seasonWord, value: 2, doubtful: true},
	"winter": {class: seasonWord, value: 3},
	"q1":     {class: quarterWord, value: 1}, "q2": {class: quarterWord, value: 2},
	"q3": {class: quarterWord, value: 3}, "q4": {class: quarterWord, value: 4},

	"last": {class: lastWord}, "past": {class: lastWord}, "previous": {class: lastWord},
	"next": {class: nextWord}, "coming": {class: nextWord}, "upcoming": {class: nextWord},
	"this": {class: thisWord}, "current": {class: thisWord},
	"ago": {class: agoWord}, "back": {class: agoWord},
	"before": {class: beforeWord}, "prior": {class: beforeWord}, "preceding": {class: beforeWord},
	"after": {class: afterWord}, "following": {class: afterWord},
	"from": {class: fromWord}, "now": {class: nowWord},
	"yesterday": {class: dayWord, value: -1}, "today": {class: dayWord, value: 0},
	"tonight": {class: dayWord, value: 0}, "tomorrow": {class: dayWord, value: 1},
	"the": {class: theWord}, "of": {class: ofWord}, "in": {class: inWord},
	"since": {class: sinceWord}, "until": {class: sinceWord}, "till": {class: sinceWord},
	"during": {class: sinceWord}, "throughout": {class: sinceWord},
	"on": {class: onWord, value: 1}, "over": {class: onWord}, "by": {class: onWord}, "at": {class: onWord},
	"early": {class: partWord, value: 0}, "beginning": {class: partWord, value: 0}, "start": {class: partWord, value: 0},
	"mid": {class: partWord, value: 1}, "middle": {class: partWord, value: 1},
	"late": {class: partWord, value: 2}, "end": {class: partWord, value: 2},
	"every": {class: everyWord}, "each": {class: everyWord},
	"will": {class: futureWord}, "ll": {class: futureWord}, "shall": {class: futureWord}, "gonna": {class: futureWord},
	"plan": {class: futureWord}, "planning": {class: futureWord}, "hope": {class: futureWord}, "hoping": {class: futureWord},
	"leave": {class: futureWord}, "leaves": {class: futureWord}, "fly": {class: futureWord}, "flies": {class: futureWord},
	"arrive": {class: futureWord}, "arrives": {class: futureWord}, "depart": {class: futureWord}, "departs": {class: futureWord},
	"starts": {class: futureWord}, "begins": {class: futureWord}, "expires": {class: futureWord}, "due": {class: futureWord},
	"deadline": {class: futureWord},
	"black":    {class: nameWord}, "cyber": {class: nameWord}, "ash": {class: nameWord}, "palm": {class: nameWord},
	"was": {class: pastWord}, "were": {class: pastWord}, "had": {class: pastWord}, "did": {class: pastWord}, "went": {class: pastWord},
	"gave": {class: pastWord}, "took": {class: pastWord}, "got": {class: pastWord}, "came": {class: pastWord}, "made": {class: pastWord},
	"began": {class: pastWord}, "left": {class: pastWord}, "bought": {class: pastWord}, "sold": {class: pastWord}, "met": {class: pastWord},
	"chose": {class: pastWord}, "lost": {class: pastWord}, "quit": {class: pastWord}, "built": {class: pastWord}, "wrote": {class: pastWord},
	"is": {class: beWord}, "are": {class: beWord}, "am": {class: beWord}, "m": {class: beWord}, "re": {class: beWord},
	"to": {class: toWord}, "through": {class: toWord}, "and": {class: toWord},
}
