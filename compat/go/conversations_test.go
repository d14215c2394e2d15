package compat

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/conversations"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// said is an item of the user.
func said(text string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser)
}

func TestConversation(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	ctx := t.Context()
	made, err := client.Conversations.New(ctx, conversations.ConversationNewParams{
		Metadata: shared.Metadata{"topic": "names"}, Items: []responses.ResponseInputItemUnionParam{said("I am Alex.")},
	})
	if err != nil {
		t.Fatal(err)
	}
	model.Queue(upstreamtest.Reply("Alex."))
	question := ask("Who am I?")
	question.Conversation = responses.ResponseNewParamsConversationUnion{OfString: param.NewOpt(made.ID)}
	if answer, err := client.Responses.New(ctx, question); err != nil || answer.Conversation.ID != made.ID {
		t.Fatalf("got %v, %v, want an answer in the conversation", answer, err)
	}
	if _, err := client.Conversations.Items.New(ctx, made.ID, conversations.ItemNewParams{Items: []responses.ResponseInputItemUnionParam{said("Thanks.")}}); err != nil {
		t.Fatal(err)
	}
	var ids, texts []string
	pages := client.Conversations.Items.ListAutoPaging(ctx, made.ID, conversations.ItemListParams{Limit: param.NewOpt(int64(1)), Order: conversations.ItemListParamsOrderAsc})
	for pages.Next() {
		item := pages.Current()
		ids, texts = append(ids, item.ID), append(texts, item.Content.OfMessageContentArray[0].Text)
	}
	if want := []string{"I am Alex.", "Who am I?", "Alex.", "Thanks."}; pages.Err() != nil || !slices.Equal(texts, want) {
		t.Fatalf("got %q, %v, want %q", texts, pages.Err(), want)
	}
	if item, err := client.Conversations.Items.Get(ctx, made.ID, ids[1], conversations.ItemGetParams{}); err != nil || item.ID != ids[1] {
		t.Errorf("got %v, %v, want the item", item, err)
	}
	if _, err := client.Conversations.Items.Delete(ctx, made.ID, ids[3]); err != nil {
		t.Error(err)
	}
	changed, err := client.Conversations.Update(ctx, made.ID, conversations.ConversationUpdateParams{Metadata: shared.Metadata{"topic": "tea"}})
	if err != nil || changed.ID != made.ID || changed.CreatedAt != made.CreatedAt {
		t.Errorf("got %v, %v, want the same conversation", changed, err)
	}
	if gone, err := client.Conversations.Delete(ctx, made.ID); err != nil || !gone.Deleted {
		t.Errorf("got %v, %v, want a deletion", gone, err)
	}
	_, err = client.Conversations.Get(ctx, made.ID)
	if fault, ok := errors.AsType[*openai.Error](err); !ok || fault.StatusCode != http.StatusNotFound {
		t.Errorf("got %v, want 404", err)
	}
}
