package gateway

// RunID names the turn or the command that answers an event.
var RunID = runID
