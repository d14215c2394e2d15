package main

// The vocabulary of the generator. Lists are long enough that a transcript of
// thousands of messages does not repeat a sentence.
var (
	adjectives = split("amber arctic brisk cobalt copper coral crimson dapper dusty ebony fabled feral gilded glacial hazel hollow humble indigo ivory jaded jolly keen lilac lucid lunar maple mellow misty mossy nimble oaken ochre opal pearl placid quartz quiet rapid russet sable saffron scarlet silent silver sly solar somber stoic sunny tawny tidal umber velvet violet vivid wicked wild woven zesty")
	nouns      = split("anchor badger beacon bison bobcat bridge canyon cedar comet condor cricket dolphin dragon eagle ember falcon ferret finch fjord forge fox garnet gecko glacier harbor heron ibex jackal jaguar juniper kestrel lantern lemur lotus lynx magpie mantis marlin meadow merlin mongoose nebula nettle ocelot orchid osprey otter panda parrot pelican pepper pinyon puffin quail raven reef robin salmon sparrow spruce stork summit tiger tundra turtle vortex walnut weasel willow wombat yak zephyr")
	components = split("gateway|indexer|scheduler|importer|exporter|dispatcher|resolver|crawler|renderer|balancer|collector|ledger|planner|encoder|notifier|registry|archiver|matcher|sampler|verifier")
	attributes = [][2]string{
		{"timeout", "seconds"}, {"memory limit", "MB"}, {"retry budget", "attempts"}, {"batch size", "rows"},
		{"rate limit", "requests per second"}, {"disk quota", "GB"}, {"connection pool size", "connections"},
		{"retention period", "days"}, {"error budget", "minutes per month"}, {"page size", "items"},
	}
	people      = split("Amara|Bjorn|Celeste|Dmitri|Eleni|Farid|Greta|Hiroshi|Ingrid|Jamal|Katya|Leandro|Mireille|Nadia|Oskar|Priya|Quentin|Rosalind|Soren|Tamsin|Ulrike|Viktor|Wanjiru|Xiomara|Yusuf|Zelda|Anselm|Beatrix|Caspian|Delphine")
	cities      = split("Aarhus|Bergen|Cusco|Dresden|Essaouira|Ghent|Hobart|Izmir|Jaipur|Kyoto|Lisbon|Malmo|Nairobi|Oaxaca|Porto|Quito|Riga|Sapporo|Tbilisi|Utrecht|Valparaiso|Windhoek|Yerevan|Zagreb")
	technology  = split("Redis|Kafka|MongoDB|RabbitMQ|Elasticsearch|Cassandra|Memcached|NATS|ClickHouse|DynamoDB|GraphQL|gRPC|Terraform|Kubernetes|Nginx|Envoy|Consul|Prometheus|Grafana|Jenkins|MariaDB|CockroachDB|Neo4j|InfluxDB|Varnish|Istio|Pulsar|Vault")
	regions     = split("us-east-1|us-west-2|eu-west-1|eu-central-1|ap-south-1|ap-northeast-2|sa-east-1|ca-central-1")
	foods       = split("olives|mushrooms|liquorice|cilantro|oysters|marzipan|beetroot|anchovies|rhubarb|tofu|blue cheese|figs|kimchi|sauerkraut|pistachios|mango|aubergine|capers|halva|polenta")
	hobbies     = split("bouldering|letterpress printing|beekeeping|open water swimming|chess problems|birdwatching|pottery|orienteering|fermenting vegetables|restoring radios|calligraphy|fencing|astrophotography|kite building|bookbinding|sea kayaking")
	jobs        = split("marine biologist|court interpreter|pastry chef|structural engineer|museum curator|paediatric nurse|sound designer|tax auditor")
	relatives   = split("sister|brother|wife|daughter|son|niece|nephew|aunt|uncle|cousin|grandmother|dog|cat|parrot")
	occasions   = split("summer offsite|architecture review|customer workshop|board demo|security audit|launch party|hiring day|user conference|data migration rehearsal|quarterly planning|load test|partner summit")
	months      = split("January|February|March|April|May|June|July|August|September|October|November|December")
	weekdays    = split("Monday|Tuesday|Wednesday|Thursday|Friday")
	reasons     = split("the nightly export kept timing out|its licence costs doubled|nobody on call understood it|the failover lost messages twice|customers in %s saw stale prices|the vendor ended support for our plan|memory use grew with every tenant|the audit found unencrypted backups|deploys took over an hour|its queries locked the orders table|the disks in %s filled up|clock drift broke the signatures|a bad rollout corrupted the index|the on-call rota was exhausted|cold starts made checkout slow|the certificate rotation failed in %s")
	tones       = split("answers under %d sentences|code samples with %d-space indentation|at most %d bullet points|summaries of at most %d words|tables with no more than %d columns")
	fillerTopic = split("binary search trees|the French revolution|sourdough hydration|garbage collectors|plate tectonics|tax brackets|the Baroque fugue|glacier formation|consistent hashing|quantum tunnelling|the Silk Road|photosynthesis|event loops|stoic philosophy|jet engines|medieval guilds|compound interest|tide tables|font kerning|coral bleaching|lambda calculus|haiku metre|bread proofing|bloom filters|urban planning|noise cancellation|the Doppler effect|vaccine trials|ship canals|type inference")
	fillerPlace = split("the harbour|a crowded tram|the old library|the corner bakery|a mountain hut|the night train|a tiny museum|the flea market|a windy pier|the botanical garden|a noisy cafe|the ferry terminal|a village square|the rooftop bar|a quiet courtyard")
	fillerThing = split("umbrella|typewriter|bicycle|lantern|notebook|accordion|suitcase|telescope|teapot|chessboard|raincoat|postcard|clock|violin|map|kettle|mirror|ladder|basket|compass")
	fillerVerb  = split("wobbled|vanished|glittered|rattled|leaned|squeaked|collapsed|floated|creaked|tumbled|shimmered|rolled away|fell over|drifted|stood still")
	fillerWho   = split("an elderly fisherman|two students|the conductor|a tired waiter|somebody in a red coat|a street musician|the librarian|a group of tourists|a small child|the baker")
	fillerMood  = split("strangely calm|rather chaotic|full of echoes|warmer than usual|almost empty|surprisingly loud|bright and windy|covered in fog|half asleep|oddly formal")
	fillerOrg   = split("a university in the north|the national survey|an old almanac|a government report|a trade magazine|the weather service|an industry group|a historical society")
	fillerData  = split("rainfall|cycling traffic|paper imports|ferry departures|museum visits|wool exports|night trains|salmon catches|bicycle sales|library loans")
)
