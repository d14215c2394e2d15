package ranking

// weights are what each feature counts; never written.
var weights = features{
	fWindow: 4.027, fOwn: 0.283, fSpeaker: 1.019, fTime: 1.931, fEpisode: 2.384, fSpeakerWord: 0.944,
	fRarest: -0.142, fSelf: 0.42, fRole: 1e-6, fCoverage: 1.295, fLength: -0.393, fAfter: -0.553,
	fBefore: -0.835, fAnswer: 4.006, fAsking: -1.426, fOpening: 0.619, fOther: -1.019, fNumber: 2.216,
	fPlace: 1.79, fDate: 1.663, fSaid: 4.294, fPerson: 1.423,
}
