package recall

import (
	_ "embed" // the fitted model

	"github.com/hermes-memory/hermes/internal/fitted"
)

//go:embed topics.txt
var topicText string

// topicality tells how probable it is that the best members answer a question about a
// topic: its log odds.
var topicality = fitted.MustParse(topicText, topicNames[:])

// The signs that something was told of a topic.
const (
	tFirst   = iota // log odds of the best member
	tSecond         // those of the second
	tUnmet          // weight of the question's words that no passage has
	tCover          // weight of them that the best member has
	tLacking        // weight of the heaviest that it lacks
	tNames          // share of the question's names that it lacks
	tRanking        // how sure the ranking of messages is that there is an answer
	tShort          // the question has one content word
	tWide           // in writing without spaces
	tAbout          // everything about a topic is asked for
	tSome           // the question asks for several things by a plural alone
	numTopics
)

// topicNames are the signs in the weights file; never written.
var topicNames = [numTopics]string{"first", "second", "unmet", "cover", "lacking", "names-lacked", "ranking", "short", "wide", "about", "some"}

// TopicNames are the names of the signs of a topic.
func TopicNames() []string { return topicNames[:] }

// topicSigns are the signs for members in the order of their odds.
func (p *query) topicSigns(found []member) []float32 {
	const least = -5 // log odds of a message that is none
	v := make([]float32, numTopics)
	v[tFirst], v[tSecond], v[tUnmet] = least, least, p.on.unmet
	if len(found) > 0 {
		has := found[0].values
		v[tFirst], v[tCover], v[tLacking], v[tNames] = found[0].odds, has[fCover]+has[fKin], has[fMissing], has[fNames]
	}
	if len(found) > 1 {
		v[tSecond] = found[1].odds
	}
	v[tRanking], v[tShort], v[tWide] = p.on.sure, truth(len(p.on.words) < 2), truth(p.on.wide)
	v[tAbout], v[tSome] = truth(p.aim == aimAbout), truth(p.aim == aimSome)
	return v
}
