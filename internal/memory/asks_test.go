package memory

import "testing"

// TestAsksAtEnd: in Japanese and Korean the last word makes a question, also without a mark. Words that only end alike
// do not.
func TestAsksAtEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"私はどこで働いていますか": true, "私の犬の名前は何ですか。": true, "昨日どこへ行きましたか": true, "明日は晴れるでしょうか": true,
		"何を買えばいいのか": true, "姉の誕生日はいつだっけ": true, "この道で合っているかな": true, "母の名前は何": true, "駅はどこ": true, "私はどこに住んでいるか": true,
		"友達の誰かがパリに住んでいる": false, "私の町はとても静か": false, "好きな食べ物はさかな": false, "私の名前はかな": false, "私の名前ははるか": false,
		"休日は映画とか": false, "好きな果物はぶどう": false, "この香りはほのか": false, "鍵は机のなか": false, "私は毎朝公園を走るが": false,
		"나는 어디에 살고 있습니까": true, "오늘 저녁에 뭐 먹을까": true, "같이 영화 볼까요": true, "그 사람은 어디에 있나요": true, "이것은 누구의 가방인가요": true,
		"너 어제 뭐 했니": true, "밥은 먹었냐": true, "내 생일은 언제예요": true, "여기가 어디야": true, "어머니는 어느 병원에서 일하십니까": true,
		"내일 친구를 만나요": false, "나는 바쁘니까": false, "저는 오늘 학교에 안 가요": false, "저는 오늘 학교에 안가요": false, "제 이름은 타냐": false,
		"내가 제일 좋아하는 사람은 할머니": false, "저는 봄에 태어나요": false, "나는 서울에 살고 있습니다": false, "수업은 세 시에 끝나요": false,
		"你住在柏林吗": true, "我住在柏林": false, "I live in Berlin": false, "": false, "か": false, "…": false,
	} {
		if got := AsksAtEnd(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
		for _, f := range Distill(said(text), nil) {
			if want && f.Kind.Asserted() {
				t.Errorf("%q: got %s %q, want nothing asserted", text, f.Kind, f.Statement)
			}
		}
	}
}
