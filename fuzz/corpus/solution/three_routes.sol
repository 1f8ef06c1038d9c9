Route #1: 1 2 3
Route #2: 4 5 6 7
Route #3: 8 9 10 11
Cost 41.5
