package anthropic

import "time"

// Model is a model in a list.
type Model struct {
	Type        string    `json:"type"`
	ID          string    `json:"id"`
	DisplayName string    `json:"display_name"`
	CreatedAt   time.Time `json:"created_at"`
}

// NewModel is a model of a time.
func NewModel(id string, created time.Time) Model {
	return Model{Type: "model", ID: id, DisplayName: id, CreatedAt: created.UTC()}
}

// ModelList is a page of models.
type ModelList struct {
	Data    []Model `json:"data"`
	HasMore bool    `json:"has_more"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
}

// NewModelList is a page with all models.
func NewModelList(models []Model) ModelList {
	list := ModelList{Data: models}
	if n := len(models); n > 0 {
		list.FirstID, list.LastID = &models[0].ID, &models[n-1].ID
	}
	return list
}
