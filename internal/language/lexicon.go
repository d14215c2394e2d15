package language

import "strings"

// lexeme is what is known of a listed word.
type lexeme struct {
	stop bool
	base string // the base form of an irregular one; "" for itself
}

// longestListed is the length of the longest word in the lexicon.
const longestListed = 12

// lexicon lists the stop words and the irregular forms; never written.
var lexicon = func() map[string]lexeme {
	words := make(map[string]lexeme, 600)
	for line := range strings.Lines(irregularForms) {
		base, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		for form := range strings.FieldsSeq(rest) {
			words[form] = lexeme{base: base}
		}
	}
	for word := range strings.FieldsSeq(stopWords) {
		words[word] = lexeme{stop: true}
	}
	return words
}()

// stopWords are the function words of English: articles, pronouns, auxiliaries,
// prepositions, question words, and the short forms the scanner leaves. They
// stand in nearly every message and every question.
const stopWords = `
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
`

// irregularForms gives "base: forms" for the irregular verbs and plurals of
// everyday English. A stemmer that only strips endings cannot join them.
const irregularForms = `
go: went gone goes
get: got gotten
make: made
take: took taken
come: came
see: saw seen
know: knew known
think: thought
tell: told
say: said
give: gave given
find: found
feel: felt
leave: left
buy: bought
bring: brought
begin: began begun
keep: kept
hold: held
write: wrote written
stand: stood
hear: heard
mean: meant
meet: met
run: ran
pay: paid
sit: sat
speak: spoke spoken
lead: led
grow: grew grown
lose: lost
fall: fell fallen
send: sent
build: built
understand: understood
draw: drew drawn
break: broke broken
spend: spent
rise: rose risen
drive: drove driven
wear: wore worn
choose: chose chosen
teach: taught
catch: caught
win: won
sell: sold
fight: fought
throw: threw thrown
sing: sang sung
swim: swam swum
fly: flew flown
sleep: slept
eat: ate eaten
drink: drank drunk
ride: rode ridden
forget: forgot forgotten
steal: stole stolen
hide: hid hidden
wake: woke woken
shake: shook shaken
blow: blew blown
become: became
seek: sought
lend: lent
sew: sewn
show: shown
hang: hung
dig: dug
stick: stuck
shoot: shot
deal: dealt
dream: dreamt
learn: learnt
burn: burnt
lie: lay lain
light: lit
feed: fed
breed: bred
bite: bit bitten
freeze: froze frozen
tear: tore torn
swear: swore sworn
weave: wove woven
ring: rang rung
sink: sank sunk
spring: sprang sprung
bend: bent
child: children
man: men
woman: women
foot: feet
tooth: teeth
mouse: mice
person: people
knife: knives
shelf: shelves
`
