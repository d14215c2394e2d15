package recall

// idioms replaces idioms by plain words; never written.
var idioms = newSayings(idiomPairs)

// phrases adds the plain word after an idiom, so that questions can match it; never
// written.
var phrases = newSayings(phrasePairs)

// idiomPairs are idioms with their meanings. If two begin with the same words, the
// first one counts.
var idiomPairs = []string{
	"for a living", "as a job", "take care of", "handle", "takes care of", "handles", "look after", "handle",
	"looks after", "handles", "in charge of", "responsible for", "get in touch with", "contact", "put off", "postponed",
	"called off", "cancelled", "leave out", "omit", "turned down", "rejected", "turn down", "reject", "hand in", "submit",
	"carry out", "perform", "run out", "expire", "runs out", "expires", "find out", "learn", "on call", "on duty",
	"stop working", "break", "stopped working", "broke", "left out", "omitted", "lead to", "cause", "leads to", "causes",
	"led to", "caused", "look like", "be", "become of", "happen to", "became of", "happened to", "sit the exam", "take the exam",
	"used to be", "was before", "was behind", "caused", "is behind", "causes", "what's behind", "what causes",
	"result of", "effect of", "stands in for", "is the deputy of", "stand in for", "be the deputy of", "kick off", "kickoff",
	"kicks off", "kickoff", "turn out", "be", "work out", "be", "pan out", "be", "turned out", "was", "turn up", "arrive",
	"address me", "call me", "number can I reach", "phone number of", "number do I reach", "phone number of",
	"do away with", "remove", "did away with", "removed", "get rid of", "remove", "got rid of", "removed", "how come", "why",
	"what made us", "why did we", "What made us", "Why did we", "what made me", "why did I", "What made me", "Why did I",
	"any longer", "anymore", "took back", "reversed", "take back", "reverse", "taken back", "reversed",
	"get kicked out", "get removed", "was kicked out", "was removed", "kicked out", "removed", "go back on", "reverse",
	"went back on", "reversed", "gone back on", "reversed", "where do we stand", "what did we decide",
	"where are we on", "what did we decide on", "code organised", "repository layout", "code organized", "repository layout",
	"code base organised", "repository layout", "changed our mind", "reversed a decision", "change our mind", "reverse a decision",
	"change our minds", "reverse a decision", "changed our minds", "reversed a decision", "go away", "get removed",
	"goes away", "gets removed", "went away", "was removed", "data store", "database", "data stores", "databases",
	"datastore", "database", "datastores", "databases", "persistence layer", "database", "persistence layers", "databases",
	"what went wrong with", "what was the problem with", "what prompted", "what caused", "what drove", "what caused",
	"what triggered", "what caused", "no longer", "dropped", "root cause", "cause", "root causes", "causes",
	"underlying cause", "cause", "underlying causes", "causes", "data warehouse", "warehouse", "data warehouses", "warehouses",
	"log in?", "login?", "taken the place", "replaced", "took the place", "replaced", "take the place", "replace",
	"takes the place", "replaces", "chief technology officer", "CTO", "chief technology officers", "CTOs",
	"chief executive officer", "CEO", "chief executive officers", "CEOs", "chief financial officer", "CFO",
	"chief financial officers", "CFOs", "chief operating officer", "COO", "chief operating officers", "COOs",
	"where can I find the", "where is the", "Where can I find the", "Where is the", "where do I find the", "where is the",
	"Where do I find the", "Where is the", "where can I find our", "where is our", "Where can I find our", "Where is our",
	"where do I find our", "where is our", "Where do I find our", "Where is our", "where can I find my", "where is my",
	"Where can I find my", "Where is my", "where do I find my", "where is my", "Where do I find my", "Where is my",
	"where can we find the", "where is the", "Where can we find the", "Where is the", "where do we find the", "where is the",
	"Where do we find the", "Where is the",
}

// phrasePairs are idioms with themselves and the plain word.
var phrasePairs = []string{
	"turned down", "turned down refused", "turn down", "turn down refuse", "handed in my notice", "handed in my notice resigned",
	"gave notice", "gave notice resigned", "can't have", "can't have avoid", "can't eat", "can't eat avoid",
	"cannot eat", "cannot eat avoid", "can't stand", "can't stand hate", "a go", "a go try", "a shot", "a shot try",
	"a whirl", "a whirl try", "put off", "put off postponed", "called off", "called off cancelled", "ran out", "ran out empty",
	"ran dry", "ran dry empty", "took over", "took over succeeded", "takes over", "takes over succeeds",
	"stands in", "stands in deputy", "fell out", "fell out lost", "looks after", "looks after responsible",
	"look after", "look after responsible", "takes care", "takes care responsible", "in charge of", "in charge of responsible",
	"on call", "on call duty", "passed away", "passed away died", "broke up", "broke up separated",
	"got rid of", "got rid of removed", "took out", "took out removed", "taken out", "taken out removed",
	"ripped out", "ripped out removed", "did away with", "did away with removed", "pulled out", "pulled out removed",
	"moved off", "moved off left", "moved away from", "moved away from left", "aside", "aside save",
	"threw away", "threw away discarded", "threw out", "threw out discarded removed", "signed up", "signed up joined registered",
	"set up", "set up installed", "filled in", "filled in completed", "give away", "give away rid", "gave away", "gave away rid",
	"moved in", "moved in lived", "brought up", "brought up raised", "came up with", "came up with invented",
	"worked out", "worked out solved", "found out", "found out discovered learned", "let go", "let go dismissed fired",
	"laid off", "laid off dismissed fired", "time out", "time out timeout", "times out", "times out timeout",
	"timed out", "timed out timeout", "log in", "log in login", "sign in", "sign in login",
}
