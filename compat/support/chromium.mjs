// A real browser, without a screen and without a profile that outlives the test.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * startChromium runs the browser of this machine with a profile of its own, which
 * goes with it. Names in resolve lead to addresses; nothing else is looked up. The
 * clocks of zone are those of who looks.
 */
export async function startChromium({ resolve = {}, zone } = {}) {
  const executablePath = places.find((place) => existsSync(place));
  if (!executablePath) throw new Error('This test needs Chromium. On Debian: apt-get install chromium');
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
  const rules = Object.entries(resolve).map(([name, address]) => `MAP ${name} ${address}`);
  rules.push('MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1', 'EXCLUDE localhost');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    ...(zone && { timezoneId: zone }),
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
      // Not all browsers keep pages from this machine: what is tested is the server.
      '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,PrivateNetworkAccessSendPreflights', `--host-resolver-rules=${rules.join(', ')}`,
    ],
  });
  return {
    page: () => context.newPage(),
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
