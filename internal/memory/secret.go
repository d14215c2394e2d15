package memory

import "strings"

// secretPrefixes open the keys and tokens of well-known services.
var secretPrefixes = [...]string{
	"sk-", "sk_live_", "sk_test_", "rk_live_", "pk_live_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
	"glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "npm_", "pypi-", "hf_",
	"dop_v1_", "shpat_", "SG.", "eyJ", "whsec_", "AGE-SECRET-KEY-", "gsk_", "hvs.", "dckr_pat_", "tskey-",
}

// secretWords name what must not be kept; a value has to follow.
var secretWords = [...]string{
	"password", "passwort", "passphrase", "passwd", "pwd", "passcode", "api key", "api_key", "apikey", "api-key", "secret",
	"access token", "auth token", "access key", "private key", "bearer", "client_secret", "token", "credentials",
	"pin", "cvv", "security code", "recovery code", "seed phrase",
}

// hasSecret reports whether a piece of text gives a secret away: a key of a
// known form, or a value for something called a password, a token, a PIN….
func hasSecret(s string) bool {
	if strings.Contains(s, "PRIVATE KEY") {
		return true
	}
	for i := 0; i < len(s); {
		for i < len(s) && isSeparator(s[i]) {
			i++
		}
		start := i
		for i < len(s) && !isSeparator(s[i]) {
			i++
		}
		if isKey(s[start:i]) {
			return true
		}
	}
	return namesSecret(s)
}

// isSeparator reports whether c ends a key.
func isSeparator(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', ',', ';', '(', ')', '<', '>', '=', '[', ']', '{', '}':
		return true
	}
	return false
}

// isKey reports whether a word has the form of a key.
func isKey(w string) bool {
	if len(w) < 12 {
		return false
	}
	for _, p := range secretPrefixes {
		if strings.HasPrefix(w, p) && len(w) >= len(p)+12 && isKeyBody(w[len(p):]) {
			return true
		}
	}
	if at := strings.Index(w, "://"); at > 0 {
		host := w[at+3:]
		user, _, found := strings.Cut(host, "@")
		return found && strings.Contains(user, ":")
	}
	return len(w) >= 32 && isRandom(w)
}

// isKeyBody reports whether what follows a prefix is key material, not prose.
func isKeyBody(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' && c != '+' && c != '/' && c != ':' && c != '!' && c != '?' {
			return false
		}
	}
	return strings.ContainsAny(s, "0123456789") || len(s) >= 20
}

// isRandom reports whether a long word mixes cases and digits as only generated
// keys do. Hashes in plain hexadecimal are names of commits, not secrets.
func isRandom(w string) bool {
	var lower, upper, digit, turns int
	kind := 0
	for i := range len(w) {
		now := 0
		switch c := w[i]; {
		case c >= 'a' && c <= 'z':
			lower++
			now = 1
		case c >= 'A' && c <= 'Z':
			upper++
			now = 2
		case c >= '0' && c <= '9':
			digit++
			now = 3
		case c == '+' || c == '/' || c == '=' || c == '_' || c == '-':
		default:
			return false
		}
		if now != kind {
			turns++
		}
		kind = now
	}
	return lower > 3 && upper > 3 && digit > 2 && turns*3 > len(w)
}

// namesSecret reports whether a value follows a word for a secret.
func namesSecret(s string) bool {
	low := lowered(s)
	for _, w := range secretWords {
		for from := 0; ; {
			at := strings.Index(low[from:], w)
			if at < 0 {
				break
			}
			at += from
			from = at + len(w)
			if at > 0 && isAlnum(low[at-1]) || from < len(low) && isAlnum(low[from]) {
				continue
			}
			if givesValue(s, low, from) {
				return true
			}
		}
	}
	return false
}

// givesValue reports whether the text from i on sets a value that looks chosen
// to be secret.
func givesValue(s, low string, i int) bool {
	rest := strings.TrimLeft(low[i:], " \t\"'`")
	value, found := "", false
	for _, sep := range [...]string{"is set to ", "is now ", "is: ", "is ", "was ", ": ", ":", "=", "= ", "to "} {
		if v, ok := strings.CutPrefix(rest, sep); ok {
			value, found = v, true
			break
		}
	}
	if !found {
		return false
	}
	value = strings.TrimLeft(value, " \t\"'`")
	if end := strings.IndexAny(value, " \t\"'`,;"); end >= 0 {
		value = value[:end]
	}
	value = strings.TrimRight(value, ".!?")
	at := strings.LastIndex(low, value)
	original := value
	if at >= 0 && len(low) == len(s) && at+len(value) <= len(s) {
		original = s[at : at+len(value)]
	}
	return looksSecret(original)
}

// looksSecret reports whether a word is no ordinary one: it has a digit or an
// unusual sign, or mixes its cases.
func looksSecret(w string) bool {
	if len(w) < 4 {
		return false
	}
	if strings.ContainsAny(w, "0123456789!@#$%^&*_+") {
		return true
	}
	for i := 1; i < len(w); i++ {
		if w[i] >= 'A' && w[i] <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			return true
		}
	}
	return false
}
