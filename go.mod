module turnpost

go 1.26
