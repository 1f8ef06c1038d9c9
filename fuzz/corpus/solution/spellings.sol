route 1 : 1 2
ROUTE# 2:3
cost: 12
Time 3 s
