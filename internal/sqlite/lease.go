package sqlite

// voidLeases ends the leases of runs, jobs, deliveries and work: this process owns the
// file, so the previous holders are gone. The fences stay: the next claim gets the next
// number.
const voidLeases = `UPDATE runs SET wake_at = ` + afterCuts + ` WHERE wake_at IS NOT NULL AND state <> 'queued';
	UPDATE job_runs SET wake_at = min(wake_at, ` + afterCuts + `) WHERE wake_at IS NOT NULL AND status = 'running';
	UPDATE deliveries SET wake_at = min(wake_at, ` + afterCuts + `) WHERE wake_at IS NOT NULL AND state = '` + sending + `';
	UPDATE work SET wake_at = 0 WHERE state = 'running'`

// afterCuts is when an interrupted run may be claimed again. A run that was interrupted
// three times may be crashing the server. It waits for a second, and twice as long
// after each further interruption, up to a minute.
const afterCuts = `CASE WHEN attempts < 3 THEN 0 ELSE ?1 + min(60000, 1000 << min(attempts - 3, 6)) END`
