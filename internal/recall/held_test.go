package recall_test

import "testing"

// TestAllThatHolds asks for what has several answers at once.
func TestAllThatHolds(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"I'm allergic to nuts.", "I'm allergic to pollen."}, "What am I allergic to?", []string{"allergic to nuts.\n", "pollen"}},
		{[]string{"My brother Tom lives in Leeds.", "My brother Sam lives in York."}, "Where do my brothers live?", []string{"Leeds.\n", "York"}},
		{[]string{"The party is on Saturday.", "The party is at 8 pm."}, "When is the party?", []string{"Saturday", "8 pm"}},
		{[]string{"Ich mag Jazz.", "Ich mag Hip-Hop."}, "Was mag ich?", []string{"Jazz", "Hip-Hop"}},
		{[]string{"Das Fest ist am Samstag.", "Das Fest ist um 20 Uhr."}, "Wann ist das Fest?", []string{"Samstag", "20 Uhr"}},
		{[]string{"I'm allergic to nuts.", "I'm allergic to nuts.", "I'm allergic to pollen."}, "What am I allergic to?", []string{"nuts", "pollen", "!21 November"}},
		{[]string{"The server is in Paris.", "The server is in Rome."}, "Where is the server?", []string{"Rome", "!Paris"}},
		{[]string{"El servidor está en París.", "El servidor está en Roma."}, "¿Dónde está el servidor?", []string{"Roma", "!París"}},
		// Where one value holds, the newer one does.
		{[]string{"My favourite colour is red.", "My favourite colour is blue."}, "What is my favourite colour?", []string{"blue"}},
		{[]string{"Ich wohne in Ulm.", "Ich wohne jetzt in Bonn."}, "Wo wohne ich?", []string{"Bonn", "!Ulm"}},
		{[]string{"The party is on Saturday.", "The party is at Omar's house."}, "When is the party?", []string{"Saturday", "!Omar"}},
	} {
		a.expect(t)
	}
}
