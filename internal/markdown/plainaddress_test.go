package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestAddressWhateverItsHost: an address in a text is a link up to its end, whatever its host is, and nothing in it is a mark.
func TestAddressWhateverItsHost(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{ // the address, and what stands around it: Discord knows no format around an address
		"http://localhost:9200/_cat/indices?v": "<http://localhost:9200/_cat/indices?v>",
		"see http://gitlab:8080/__a__/b now":   "see <http://gitlab:8080/__a__/b> now",
		"http://192.168.1.5:8123/_x_y.":        "<http://192.168.1.5:8123/_x_y>.",
		"at http://[::1]:8080/_a, or":          "at <http://[::1]:8080/_a>, or",
		"https://münchen.de/_x_":               "<https://münchen.de/_x_>",
		"https://münchen.de/_ä_ö":              "<https://münchen.de/_ä_ö>",
		"https://例え.テスト/_a_b":                  "<https://例え.テスト/_a_b>",
		"HTTPS://NAS/_a_b":                     "<HTTPS://NAS/_a_b>",
		"http://user:p_w_d@db/_x_y":            "<http://user:p_w_d@db/_x_y>",
		"http://example.com/foo*bar*baz":       "<http://example.com/foo*bar*baz>",
		"http://nas/my_dir_x":                  "<http://nas/my_dir_x>",
		"**http://nas/_a**":                    "<http://nas/_a>",
		"_http://nas/_a_":                      "<http://nas/_a>",
		"~~http://nas/~a~~":                    "<http://nas/~a>",
		"(http://nas/_a)":                      "(<http://nas/_a>)",
		"(http://nas/a_(b)_c, http://nas/_x)":  "(<http://nas/a_(b)_c>, <http://nas/_x>)",
		"\"http://nas/_a_\"":                   "\"<http://nas/_a_>\"",
		"url=http://nas/_a_b":                  "url=<http://nas/_a_b>",
		"[see http://nas/_a_b":                 "\\[see <http://nas/_a_b>",
		"http://nas/_a_b; then":                "<http://nas/_a_b>; then",
		"访问http://localhost:9200/_a_b，然后":      "访问<http://localhost:9200/_a_b>，然后",
		"访问：http://localhost:9200/_a_b即可":      "访问：<http://localhost:9200/_a_b>即可",
		"http://localhost:3000を開く":             "<http://localhost:3000>を開く",
		"http://localhostを開く":                  "<http://localhost>を開く",
		"http://nas/照片/_a_/b":                  "<http://nas/照片/_a_/b>",
		"[http://nas/_a_/b](http://nas/_a_/b)": "<http://nas/_a_/b>",
		"http://nas/\\_a\\_b":                  "<http://nas/_a_b>",
		"http://nas/?a=1&amp;b=_2_3":           "<http://nas/?a=1&b=_2_3>",
		"http://nas/{a}_b_":                    "<http://nas/%7Ba%7D_b_>",
		"<http://nas/_a_/b>":                   "<http://nas/_a_/b>",
		"http://nas/a\\\nb":                    "<http://nas/a>\nb",
		"http://...":                           "http://...",
		"http:// a":                            "http:// a",
		"**URL**: http://nas/logs-*.":          "**URL**: <http://nas/logs-*>.",
		"xhttp://nas/a":                        "xhttp://nas/a",
		"`http://nas/_a`":                      "`http://nas/_a`",
		"http\\://nas":                         "http://nas",
		"http://nas/a\nhttp://b/_c_d":          "<http://nas/a>\n<http://b/_c_d>",
		"javascript://nas/%0aalert(1)":         "javascript://nas/%0aalert(1)",
	} {
		if got := markdown.Render(markdown.Parse(src), markdown.DiscordMarkdown); got != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}

// TestAddressInEveryDialect: each dialect writes an address so that the platform shows and opens it as it is.
func TestAddressInEveryDialect(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://localhost:9200/_cat/indices", "http://gitlab:8080/__a__/b", "http://192.168.1.5:8123/_x_y", "http://[::1]:8080/_a~b~*c*d", "https://münchen.de/_x_y",
	} {
		for d, want := range map[markdown.Dialect]string{
			markdown.Plain: address, markdown.TelegramHTML: `<a href="` + address + `">` + address + "</a>", markdown.DiscordMarkdown: "<" + address + ">",
			markdown.SlackMrkdwn: "<" + address + ">", markdown.WhatsAppText: address,
		} {
			if got := markdown.Render(markdown.Parse("a "+address+" b"), d); got != "a "+want+" b" {
				t.Errorf("dialect %d: got %q, want %q", d, got, "a "+want+" b")
			}
		}
	}
	if got := markdown.Render(markdown.Parse("http://nas/{_a}"), markdown.Plain); got != "http://nas/{_a}" {
		t.Errorf("an encoded address in plain text: got %q", got)
	}
	if got := markdown.Render(markdown.Parse("http://nas/{_a}"), markdown.SlackMrkdwn); got != "<http://nas/%7B_a%7D>" {
		t.Errorf("an encoded address on Slack: got %q", got)
	}
}

// TestAddressInLabel: an address in the words of a link is text, and no link within the link.
func TestAddressInLabel(t *testing.T) {
	t.Parallel()
	blocks := markdown.Parse("[see http://nas/__a__/b and <http://b/c>](http://x/y)")
	if len(blocks) != 1 || len(blocks[0].Inlines) != 1 {
		t.Fatalf("got %+v, want one link", blocks)
	}
	link := blocks[0].Inlines[0]
	if link.Href != "http://x/y" || len(link.Inlines) != 1 || link.Inlines[0].Text != "see http://nas/__a__/b and http://b/c" {
		t.Errorf("got %+v", link)
	}
}
