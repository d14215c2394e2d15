package recall_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestAskedOfSelf asks for what the asker is, in words that the answer has not, in several languages.
func TestAskedOfSelf(t *testing.T) {
	t.Parallel()
	for _, a := range []asked{
		{[]string{"Ich bin Krankenpfleger in Trier.", "Ich trinke gern Tee."}, "Was bin ich von Beruf?", []string{"Krankenpfleger", "!Tee"}},
		{[]string{"Ich bin die neue Ärztin hier.", "Ich bin müde."}, "Was mache ich eigentlich beruflich?", []string{"Ärztin", "!müde"}},
		{[]string{"Ich heiße Tim und ich bin Dachdecker."}, "Was ist mein Job?", []string{"Dachdecker"}},
		{[]string{"Ich arbeite als Imkerin.", "Ich wohne in Halle."}, "Womit verdiene ich mein Geld?", []string{"Imkerin", "!Halle"}},
		{[]string{"Ich bin 47 Jahre alt.", "Mein Bruder ist 50 Jahre alt."}, "Wie alt bin ich?", []string{"47", "!50"}},
		{[]string{"Ich wohne in Kassel.", "Ich bin nach Ulm gezogen."}, "Wo wohne ich?", []string{"Ulm", "!Kassel"}},
		{[]string{"Ich bin in Kiel aufgewachsen."}, "Woher komme ich?", []string{"Kiel"}},
		{[]string{"Je suis boulangère à Pau.", "Je suis fatiguée."}, "Quel est mon métier, déjà ?", []string{"boulangère", "!fatiguée"}},
		{[]string{"Hallo, ich bin Sabine und ich arbeite als Köchin."}, "Wie heiße ich?", []string{"Sabine"}},
		{[]string{"Bonjour, je suis Léa."}, "Comment je m'appelle ?", []string{"Léa"}},
		{[]string{"Ich bin seit zehn Jahren Dolmetscherin."}, "Was mache ich beruflich?", []string{"Dolmetscherin"}},
		{[]string{"Ich lebe seit 2010 in Erfurt."}, "In welchem Ort lebe ich?", []string{"[recall] You told", "Erfurt"}},
		{[]string{"Je suis originaire du Jura."}, "D'où est-ce que je viens ?", []string{"Jura"}},
		{[]string{"Je suis l'infirmière de l'école."}, "Je fais quoi dans la vie ?", []string{"infirmière"}},
		{[]string{"Hi, bin Notfallsanitäter."}, "Was mache ich beruflich?", []string{"Notfallsanitäter"}},
		{[]string{"Ich komme aus der Schweiz."}, "Woher komme ich?", []string{"Schweiz"}},
		{[]string{"J'ai 38 ans et je vis à Brest."}, "Quel âge ai-je ?", []string{"38"}},
		{[]string{"Je viens d'Alger.", "Je viens de manger."}, "D'où je viens ?", []string{"Alger", "!manger"}},
		{[]string{"Hola, soy fontanero y vivo en Lugo."}, "¿A qué me dedico?", []string{"fontanero"}},
		{[]string{"Tengo 51 años.", "Mi madre tiene 80 años."}, "¿Qué edad tengo?", []string{"51", "!80"}},
		{[]string{"Nací en Cuenca.", "Mi marido es de Lima."}, "¿De dónde soy?", []string{"Cuenca", "!Lima"}},
		{[]string{"My name is Sarah Hill.", "My sister is called Ann."}, "What am I called?", []string{"Sarah", "!Ann"}},
		{[]string{"I'm a nurse in Leeds."}, "¿A qué me dedico?", []string{"nurse"}},
		{[]string{"Ich bin Elektriker."}, "What do I do for a living?", []string{"Elektriker"}},
	} {
		a.expect(t)
	}
}

// TestSelfOfSpeakers: each of several speakers is told what they said of themselves.
func TestSelfOfSpeakers(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.learn(session.User, "Anna", "Ich bin Lehrerin.")
	k.learn(session.User, "Bert", "Ich bin Maurer.")
	for speaker, want := range map[string]string{"Anna": "Lehrerin", "Bert": "Maurer"} {
		k.Speaker = speaker
		expect(t, speaker, k.say("Was ist mein Beruf?"), want)
	}
	k.Speaker = "Carl"
	if got := k.say("Was ist mein Beruf?"); sure(got) {
		t.Errorf("got %q", got)
	}
}

// TestNotOfSelf: what is said of others, of another time or of what is not gives no job, age, name or home.
func TestNotOfSelf(t *testing.T) {
	t.Parallel()
	for question, all := range map[string][]string{
		"Was ist mein Beruf?": {
			"Ich bin müde.", "Ich bin in Bonn.", "Meine Schwester ist Lehrerin.", "Ich bin kein Lehrer.", "Ich bin der Sohn eines Lehrers.", "Ich bin Anna Schneider.",
			"Ich war Lehrerin.", "Ich bin Lehrer gewesen.", "Ich bin mit einer Ärztin verheiratet.", "Ich bin beim Arzt.", "Petra sagt, ich bin Koch.", "Wenn ich Koch bin, esse ich mehr.",
			"Ich bin Vegetarier.", "Anna: Ich bin Ärztin.",
		},
		"Quel est mon métier ?": {
			"Je suis contente.", "Je suis la fille d'un boulanger.", "Je suis mariée à une infirmière.", "Je ne suis pas médecin.", "Mon frère est cuisinier.", "Je suis chez le dentiste.",
			"J'étais professeur.", "Je suis Marie Boulanger.",
		},
		"¿A qué me dedico?": {
			"Soy alta.", "Soy hijo de un panadero.", "No soy médico.", "Estoy con el médico.", "Mi hermana es profesora.", "Era cocinero.", "Soy amigo del cartero.",
		},
		"Wie alt bin ich?":         {"Mein Sohn ist 7 Jahre alt.", "Ich bin 2 Wochen in Rom.", "Ich bin 180 groß.", "Ich bin zwei Mal umgezogen.", "Ich bin 10 Jahre jünger als Ute."},
		"Quel âge ai-je ?":         {"Ma fille a 9 ans.", "J'ai 3 chats.", "J'ai 20 ans de retard."},
		"¿Cuántos años tengo?":     {"Mi hijo tiene 4 años.", "Tengo 3 gatos.", "Tengo 20 años de experiencia."},
		"Wie heiße ich?":           {"Mein Hund heißt Rex.", "Ich bin müde.", "Hallo, ich bin Vegetarierin.", "Hallo, ich bin Polin.", "Ich bin Sonntag in Rom."},
		"Où est-ce que j'habite ?": {"Mes parents habitent à Metz.", "J'ai visité Caen."},
		"¿De dónde soy?":           {"Mi marido es de Lima.", "Vengo de comer."},
	} {
		for _, told := range all {
			k := newTalk(t)
			k.tell(told)
			if got := k.say(question); sure(got) {
				t.Errorf("%s %s: got %q", told, question, got)
			}
		}
	}
}
