// Package gatewaytest holds the contract of all adapters of chat platforms, and strict
// fakes of the platforms. A fake checks lengths, limits and order itself, records what it
// was sent, and can be told to fail.
package gatewaytest
