package slack

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// catchAll is the command that takes all others as its text, and the prefix of those whose
// names Slack keeps for itself.
const catchAll = "hermes"

// maxCommands is how many slash commands an app can have.
const maxCommands = 50

// reserved are names of Slack's own commands.
func reserved(name string) bool {
	return slices.Contains([]string{
		"active", "apps", "archive", "away", "call", "collapse", "dm", "dnd", "expand", "feed", "feedback", "help", "invite", "join",
		"kick", "leave", "me", "msg", "mute", "open", "part", "prefs", "remind", "remove", "rename", "search", "shortcuts", "shrug",
		"star", "status", "topic", "who",
	}, name)
}

// object is a JSON object. Its keys are written in alphabetical order.
type object map[string]any

// Manifest is the description of the app that an administrator gives to Slack: what it may
// do, what it hears, and its commands. baseURL is where Slack reaches this server; Socket
// Mode does not need it.
func Manifest(commands []gateway.CommandInfo, socketMode bool, baseURL string) []byte {
	base := strings.TrimSuffix(baseURL, "/") + "/platforms/slack/"
	settings := object{
		"event_subscriptions": object{"bot_events": []string{
			"app_mention", "channel_id_changed", "message.channels", "message.groups", "message.im", "message.mpim",
		}},
		"interactivity":          object{"is_enabled": true},
		"org_deploy_enabled":     false,
		"socket_mode_enabled":    socketMode,
		"token_rotation_enabled": false,
	}
	var list []object
	all := append([]gateway.CommandInfo{{Name: catchAll, Usage: "Any command", Args: "command"}}, commands...)
	for _, c := range all[:min(len(all), maxCommands)] {
		list = append(list, slashCommand(c))
	}
	if !socketMode {
		settings["event_subscriptions"].(object)["request_url"] = base + "events"
		settings["interactivity"].(object)["request_url"] = base + "interactions"
		for _, command := range list {
			command["url"] = base + "commands"
		}
	}
	var names []string
	for _, scope := range scopes() {
		names = append(names, scope[0])
	}
	text, err := json.MarshalIndent(object{
		"display_information": object{"name": "Hermes", "description": "An assistant that remembers"},
		"features": object{
			"app_home":       object{"home_tab_enabled": false, "messages_tab_enabled": true, "messages_tab_read_only_enabled": false},
			"bot_user":       object{"display_name": "Hermes", "always_online": true},
			"slash_commands": list,
		},
		"oauth_config": object{"scopes": object{"bot": names}},
		"settings":     settings,
	}, "", "  ")
	if err != nil {
		panic(err) // strings and truth values have no other form
	}
	return append(text, '\n')
}

// CommandName implements gateway.Namer. Slack passes no slash command on in a thread.
func (a *Adapter) CommandName(name string, at gateway.Place, _ gateway.ChatType) string {
	if at.Thread != "" {
		return "!" + name
	}
	return slashName(name)
}

// slashName is the slash command that is registered for a command.
func slashName(name string) string {
	if reserved(name) {
		name = catchAll + "-" + name
	}
	return "/" + name
}

// slashCommand describes one command. Slack writes mentions in its text with ids.
func slashCommand(c gateway.CommandInfo) object {
	command := object{"command": slashName(c.Name), "description": c.Usage, "should_escape": true}
	if c.Args != "" {
		command["usage_hint"] = c.Args
	}
	return command
}
