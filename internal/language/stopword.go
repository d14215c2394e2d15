package language

// longestStop is the length of the longest stop word.
const longestStop = 10

// stops are the function words of English: articles, pronouns, auxiliaries,
// prepositions, question words, and the short forms the scanner leaves. They
// stand in nearly every message and every question. Never written.
var stops = wordSet(`
a an the and or but nor so yet if then than that this these those there here
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
who whom whose which what when where why how
am is are was were be been being do does did doing done have has had having
will would shall should can could may might must ought
dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt wont wouldnt shouldnt cant couldnt aint mustnt
not no to of in on at by for from with without into onto about as up down out off over under
again further once during before after above below between through against until while because
all any both each few more most other some such only own same too very just also
s t d m re ve ll
`)
