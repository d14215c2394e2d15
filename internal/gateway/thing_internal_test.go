package gateway

import "testing"

func TestThingOf(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]struct {
		thing string
		sure  bool
	}{
		"":                     {"", false},
		"--yes":                {"", true},
		"Momo":                 {"Momo", false},
		"Momo --yes":           {"Momo", true},
		"Momo —yes":            {"Momo", true},
		"Momo –YES":            {"Momo", true},
		"--yes Momo":           {"Momo", true},
		`"blue falcon"`:        {"blue falcon", false},
		"“blue falcon” --yes":  {"blue falcon", true},
		"„Roter Milan“":        {"Roter Milan", false},
		"« milan royal » —yes": {"milan royal", true},
		"the word yes":         {"the word yes", false},
		"Momo --yesterday":     {"Momo --yesterday", false},
		`"`:                    {`"`, false},
		"O'Hara":               {"O'Hara", false},
	} {
		if thing, sure := thingOf(arg); thing != want.thing || sure != want.sure {
			t.Errorf("%q: got %q, %t, want %q, %t", arg, thing, sure, want.thing, want.sure)
		}
	}
}
