package service

import (
	"path"
	"strconv"
	"strings"
)

// agentFile is the file of a service of an account on macOS.
func agentFile(p Place) string { return path.Join(p.Home, "Library", "LaunchAgents", label+".plist") }

// domain is the name that launchctl has for the services of an account.
func domain(p Place) string { return "gui/" + strconv.Itoa(p.UID) }

func installAgent(p Place, s Server) Plan {
	log := path.Join(p.Home, "Library", "Logs", "hermes.log")
	return Plan{
		Files:    []File{{Name: agentFile(p), Mode: 0o644, Body: agent(s, log)}},
		Commands: [][]string{{"launchctl", "bootstrap", domain(p), agentFile(p)}},
		Hints:    []string{"Its log: " + log},
	}
}

// agent is the property list of a service on macOS. launchd starts it at each login, and
// again if it fails.
func agent(s Server, log string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ` + Mark + ` -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + label + `</string>
	<key>ProgramArguments</key>
	<array>
		<string>` + inXML(s.Program) + `</string>
		<string>serve</string>
	</array>
`)
	if s.HomeDir != "" {
		b.WriteString(`	<key>EnvironmentVariables</key>
	<dict>
		<key>HERMES_HOME</key>
		<string>` + inXML(s.HomeDir) + `</string>
	</dict>
`)
	}
	b.WriteString(`	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ExitTimeOut</key>
	<integer>45</integer>
	<key>Umask</key>
	<integer>63</integer>
	<key>ProcessType</key>
	<string>Background</string>
	<key>StandardErrorPath</key>
	<string>` + inXML(log) + `</string>
	<key>StandardOutPath</key>
	<string>` + inXML(log) + `</string>
</dict>
</plist>
`)
	return b.String()
}

func inXML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
