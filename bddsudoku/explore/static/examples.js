// Puzzles that an empty board offers to begin with.

export const EXAMPLES = [
  {
    en: "Lines and clues", ja: "線と外の数",
    text: `${".".repeat(72)}2........
antiknight
thermo r8c8 r9c8 r8c7 r7c8 r6c8
thermo r6c1 r5c1 r4c1 r3c2
arrow r3c5 > r4c5 r5c6
arrow r5c7 > r4c7 r4c8
whispers r8c5 r9c5 r8c4 r7c3
cage 20 r4c9 r5c9 r6c9
sandwich 27 r3c0
littlekiller 30 ur r10c5
difference 1 r2c7 r2c8`,
  },
  {
    en: "16 hints", ja: "ヒント 16 個",
    text: "000000010400000000020000000000050400008000300001090000000400200050100000000806007",
  },
  {
    en: "6×6 board", ja: "6×6 の盤",
    text: `${".".repeat(36)}
thermo r1c1 r2c1 r3c2 r4c2
whispers r6c2 r5c3 r6c4 r5c5
cage 9 r1c5 r1c6 r2c6
ratio r3c4 r3c5`,
  },
];
