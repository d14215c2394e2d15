package memory

// wordList is a list of words that answers one question about a word. Unlike a tag, it
// has no meaning elsewhere.
type wordList uint8

// The lists, in the order of wordLists; the file describes them.
const (
	listCommit wordList = iota
	listLead
	listManner
	listNoting
	listParticular
	listNoJob
	listWhole
	listLeading
	listRhythm
	listSoftening
	listEverything
	listDefinite
	listPossessive
	listNoThing
	listMyself
	listIs
	listDwells
	listLeads
	listLinking
	listPlace
	listOrigin
	listHour
	listUnsettled
	listOne
	listSeveral
	listComplement
	listSalutation
	listSpokenTo
	listPractice
)

// wordLists are the names of the lists in lists.txt; never written.
var wordLists = [...]string{
	"commit", "lead", "manner", "noting", "particular", "no job", "whole", "leading",
	"rhythm", "softening", "everything", "definite", "possessive", "no thing", "myself", "is", "dwells", "leads", "linking", "place", "origin",
	"hour", "unsettled", "one", "one of several", "complement", "salutation", "spoken to", "practice",
}

// addList adds the words of a list.
func (l *lexicon) addList(name string, items []string) {
	for i, list := range wordLists {
		if list == name {
			for _, item := range items {
				l.lists[item] |= 1 << i
			}
		}
	}
}

// has reports whether a word in lower case is in a list.
func (l *lexicon) has(list wordList, low string) bool { return l.lists[low]>>list&1 != 0 }
