package prove

import (
	"fmt"
	"strings"
)

// filler is a paragraph of small talk, different in every round: repeated sentences
// would make remembering too easy.
func filler(round int) string {
	pick := func(list []string, step int) string { return list[(round*step+round/len(list))%len(list)] }
	sentences := []string{
		fmt.Sprintf("Could you look at %s before %s?", pick(matters, 1), pick(moments, 3)),
		fmt.Sprintf("%s wrote that %s went %s, which took about %d minutes.", pick(people, 5), pick(matters, 7), pick(manners, 1), 5+round%53),
		fmt.Sprintf("After %s there were %d notes on %s, most of them %s.", pick(moments, 1), 2+round%17, pick(matters, 3), pick(manners, 5)),
	}
	return strings.Join(sentences, " ")
}

var (
	matters = []string{
		"the draft of the travel plan", "the list of spare parts", "the slides on rainfall", "the garden calendar", "the old photographs",
		"the seating at the dinner", "the report on bird counts", "the recipe with lentils", "the noise in the stairwell", "the library cards",
		"the rehearsal schedule", "the crossword from Sunday", "the map of cycle paths",
	}
	moments = []string{"lunch", "the walk", "the meeting", "the weekend", "breakfast", "the concert", "the storm"}
	people  = []string{"Priya", "Tomasz", "Mei", "Olu", "Ingrid", "Rashid", "Carla", "Jonas", "Aiko", "Bela", "Nadia"}
	manners = []string{"well", "slowly", "better than expected", "as usual", "half finished", "without trouble"}
)
