package service

import (
	_ "embed"
	"path"
	"strings"
)

// The files of a service of the machine.
const (
	systemUnit      = "/etc/systemd/system/" + unitName
	packagedUnit    = "/usr/lib/systemd/system/" + unitName
	sysusersFile    = "/etc/sysusers.d/hermes.conf"
	environmentFile = "/etc/hermes/hermes.env"
	stateDir        = "/var/lib/hermes"
)

// The files of the machine are those of the packages, too. What stands between two "%" in
// them is replaced.
var (
	//go:embed hermes.service
	machineText string
	//go:embed hermes-user.service
	userText string
	//go:embed hermes.sysusers
	sysusersText string
	//go:embed hermes.env
	environmentText string
)

func installSystem(s Server, random func() string) Plan {
	return Plan{
		Files: []File{
			{Name: sysusersFile, Mode: 0o644, Body: "# " + Mark + "\n" + sysusersText},
			{Name: environmentFile, Mode: 0o600, Body: strings.Replace(environmentText, "%KEY%", random(), 1), Secret: true},
			{Name: systemUnit, Mode: 0o644, Body: "# " + Mark + "\n" + strings.Replace(machineText, "/usr/bin/hermes", word(s.Program), 1)},
		},
		Commands: [][]string{
			{"systemd-sysusers", sysusersFile},
			{"systemctl", "daemon-reload"},
			{"systemctl", "enable", "--now", unitName},
		},
		Hints: []string{
			"The key for clients is API_SERVER_KEY in " + environmentFile + ", and the data is in " + stateDir + ".",
			"Commands for its data: sudo -u " + account + " HERMES_HOME=" + stateDir + " hermes doctor",
			"Its log: journalctl -u hermes",
		},
	}
}

func installUser(p Place, s Server) Plan {
	text := strings.Replace(userText, "%PROGRAM%", word(s.Program), 1)
	home := ""
	if s.HomeDir != "" {
		home = "Environment=" + setting("HERMES_HOME="+s.HomeDir) + "\n"
	}
	text = strings.Replace(text, "%HOME%\n", home, 1)
	return Plan{
		Files: []File{{Name: userUnit(p), Mode: 0o644, Body: "# " + Mark + "\n" + text}},
		Commands: [][]string{
			{"systemctl", "--user", "daemon-reload"},
			{"systemctl", "--user", "enable", "--now", unitName},
		},
		Hints: []string{
			"It runs while you are logged in. To run it always: loginctl enable-linger",
			"Environment variables for it go into " + path.Join(p.Config, "hermes", "hermes.env") + ". Its log: journalctl --user -u hermes",
		},
	}
}

func userUnit(p Place) string { return path.Join(p.Config, "systemd", "user", unitName) }

// settingsRoot is the directory above the settings of an account that stays in any case: its
// home, or the directory of settings if that is elsewhere.
func settingsRoot(p Place) string {
	if strings.HasPrefix(p.Config, p.Home+"/") {
		return p.Home
	}
	return p.Config
}

// word is a word of a command line in a unit, where "$" begins a variable.
func word(text string) string { return strings.ReplaceAll(setting(text), "$", "$$") }

// setting is a word of a setting in a unit. "%" begins a specifier of systemd.
func setting(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(text) + `"`
}
