package recall_test

import "testing"

// TestSiblings asks for a thing where something newer is told of another thing of its class.
func TestSiblings(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Lunch costs 8 euros.", "Dinner costs 14 euros."}, "How much is lunch?", []string{"8 euros", "!14"}},
		{[]string{"Lunch costs 8 euros.", "Dinner costs 14 euros."}, "How much does lunch cost?", []string{"8 euros", "!14"}},
		{[]string{"The sofa is grey.", "The armchair is green."}, "What colour is the sofa?", []string{"grey", "!green"}},
		{[]string{"The bus leaves at 7:40.", "The train leaves at 8:10."}, "When does the bus leave?", []string{"7:40", "!8:10"}},
		{[]string{"The kitchen is 12 square metres.", "The bedroom is 15 square metres."}, "How big is the kitchen?", []string{"12", "!15"}},
		// What names the same with another word is no sibling.
		{[]string{"My puppy is called Rex.", "The dog park is closed."}, "What is my dog called?", []string{"Rex"}},
	} {
		a.expect(t)
	}
}
