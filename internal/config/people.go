package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// idForm is how the ids of a platform look. An entry of a list that looks otherwise matches
// nobody: a name, say.
type idForm struct {
	fits func(id string) bool
	// means says what an id is, with an example, and where people find it.
	means string
}

// personForms are the ids of people, by platform.
func personForms() map[string]idForm {
	return map[string]idForm{
		"telegram": {isNumber, "On Telegram the id of a person is a number, such as 123456789, and no name. " +
			"Once the person has written to the bot, `hermes pairing list` and `hermes platforms events` show it."},
		"discord": {isNumber, "On Discord the id of a person is a number, such as 80351110224678912, and no name. " +
			"Switch on Developer Mode (Advanced) in Discord's settings, and use Copy User ID."},
		"slack": {func(id string) bool { return isSlack(id, "UW") },
			"On Slack the id of a person begins with U or W, such as U0123ABCD, and is no name. " +
				"In the person's profile, choose Copy member ID."},
		"whatsapp": {isWhatsApp, "On WhatsApp the id of a person is the number with its country code, in digits only, such as 4915112345678."},
	}
}

// chatForms are the ids of groups and channels, by platform. WhatsApp's have no form that is known.
func chatForms() map[string]idForm {
	return map[string]idForm{
		"telegram": {func(id string) bool { return strings.HasPrefix(id, "-") && isNumber(id[1:]) },
			"On Telegram the id of a group is a number below 0, such as -1001234567890. After a message in the group, `hermes platforms events` shows it."},
		"discord": {isNumber, "On Discord the id of a channel is a number. Switch on Developer Mode (Advanced) in Discord's settings, and use Copy Channel ID."},
		"slack": {func(id string) bool { return isSlack(id, "CG") },
			"On Slack the id of a channel begins with C or G, such as C0123ABCD. It stands at the end of the channel's details."},
	}
}

// homeForms are the ids of the chats that can be the home of jobs, by platform: those of people, too, where a private chat has
// the id of the person.
func homeForms() map[string]idForm {
	return map[string]idForm{
		"telegram": {isTelegramChat, "On Telegram the id of a chat is a number, such as 123456789 for a person or -1001234567890 for a group, " +
			"and no name or topic. After a message in the chat, `hermes platforms events` shows it."},
		"discord": {isSnowflake, "On Discord the id of a channel is a number. Switch on Developer Mode (Advanced) in Discord's settings, and use Copy Channel ID."},
		"slack": {func(id string) bool { return isSlack(id, "CGD") },
			"On Slack the id of a chat begins with C, G or D, such as C0123ABCD. It stands at the end of the channel's details; " +
				"after a message in the chat, `hermes platforms events` shows it, too."},
		"whatsapp": {isWhatsAppChat, "On WhatsApp the id of a chat is the number of the person with its country code, in digits only, such as 4915112345678."},
	}
}

// isTelegramChat reports whether an id is one of a person or, below 0, of a group.
func isTelegramChat(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n != 0 && strconv.FormatInt(n, 10) == id
}

// isSnowflake reports whether an id is one of Discord.
func isSnowflake(id string) bool {
	n, err := strconv.ParseUint(id, 10, 64)
	return err == nil && n != 0 && strconv.FormatUint(n, 10) == id
}

// isWhatsAppChat reports whether an id is one of a person, or of a group.
func isWhatsAppChat(id string) bool {
	group, ok := strings.CutSuffix(id, "@g.us")
	return isWhatsApp(id) || ok && group != "" && strings.Trim(group, "0123456789-") == ""
}

// isNumber reports whether an id is a number above 0.
func isNumber(id string) bool {
	return id != "" && id[0] != '0' && len(id) <= 20 && strings.Trim(id, "0123456789") == ""
}

// isSlack reports whether an id of Slack begins with one of some letters.
func isSlack(id, first string) bool {
	return len(id) > 1 && strings.Contains(first, id[:1]) && strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isWhatsApp reports whether an id is a number with its country code, or one that WhatsApp itself
// gives to a person: a country, a dot, and letters and digits.
func isWhatsApp(id string) bool {
	country, _, own := strings.Cut(id, ".")
	return isNumber(id) || own && len(country) == 2 && country == strings.ToUpper(country)
}

// checkPeople refuses entries of the lists of people and groups that match no person, and homes that can be no chat.
func (p *Platforms) checkPeople() error {
	for _, name := range platformNames() {
		of := p.ByName(name)
		for _, list := range []struct {
			setting string
			ids     []string
			form    idForm
		}{
			{"users", of.Users, personForms()[name]}, {"admins", of.someAdmins(), personForms()[name]}, {"chats", of.Chats, chatForms()[name]},
		} {
			if err := list.form.check("platforms."+name+"."+list.setting, list.ids); err != nil {
				return err
			}
		}
	}
	for _, name := range platformNames() {
		if home := p.ByName(name).Home; home != "" && !homeForms()[name].fits(home) {
			return fmt.Errorf("platforms.%s.home: %q can be no chat. %s", name, home, homeForms()[name].means)
		}
	}
	for _, user := range p.AllowedUsers {
		name, id, _ := strings.Cut(user, ":")
		if err := personForms()[name].check("platforms.allowed_users", []string{id}); err != nil {
			return err
		}
	}
	return nil
}

// nobody stands in a list of admins if there are none: an empty list means all users.
const nobody = "nobody"

// someAdmins are the admins, without the word for none.
func (p *Platform) someAdmins() []string {
	return slices.DeleteFunc(slices.Clone(p.Admins), func(id string) bool { return id == nobody })
}

// check refuses an id that looks otherwise. The zero form takes all.
func (f idForm) check(setting string, ids []string) error {
	for _, id := range ids {
		if f.fits != nil && !f.fits(id) {
			return fmt.Errorf("%s: %q matches nobody. %s", setting, id, f.means)
		}
	}
	return nil
}
