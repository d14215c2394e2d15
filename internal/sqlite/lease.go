package sqlite

// voidLeases ends the leases of runs, jobs, deliveries and work: this process owns the
// file, so the previous holders are gone. The fences stay: the next claim gets the next
// number.
const voidLeases = `UPDATE runs SET wake_at = ` + afterCuts + ` WHERE wake_at IS NOT NULL AND state <> 'queued';
	UPDATE job_runs SET wake_at = min(wake_at, ` + afterCuts + `) WHERE wake_at IS NOT NULL AND status = 'running';
	UPDATE deliveries SET wake_at = min(wake_at, ` + afterCuts + `) WHERE wake_at IS NOT NULL AND state = '` + sending + `';
	UPDATE work SET wake_at = 0 WHERE state = 'running'`

// afterCuts is when a run that was cut off is taken up. One that was cut off
// three times or more may be what ends processes: it waits from a second on,
// twice as long each time, up to a minute.
const afterCuts = `CASE WHEN attempts < 3 THEN 0 ELSE ?1 + min(60000, 1000 << min(attempts - 3, 6)) END`
