setup:
	@Scripts/setup.sh
build: setup
	swift build
test: setup
	swift test
